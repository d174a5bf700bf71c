import { Injectable } from '@nestjs/common';
import type { Transaction } from 'kysely';
import { deedBy } from '../../auth/administration/deed.decorator.js';
import { ApiError } from '../../common/api-error.js';
import { ConfigService } from '../../config/config.service.js';
import { type Beside, Database } from '../../database/database.js';
import type { Schema } from '../../database/schema.js';
import { audited } from '../../observability/audit/audit-log.js';
import { emailToFind, typedEmail } from '../email.js';
import { MemberStore, type Membership } from '../member-store.js';
import { Passwords } from '../passwords/passwords.js';
import { type Person, toPerson } from '../person.js';
import { PersonStore } from '../person-store.js';
import { Cookies } from '../sessions/cookies.js';
import { endOf } from '../sessions/session-directory.js';
import { endSessions, type OpenedBy, type OpenedSession, type Session, SessionStore } from '../sessions/session-store.js';
import { SESSION_COOKIE, SessionsService } from '../sessions/sessions.service.js';
import type { Visit } from '../visit.js';
import { SignInLinks } from './sign-in-links.js';
import { SignInThrottle } from './sign-in-throttle.js';

/** Somebody who is signed in, as the page shows it. */
export interface SignedIn {
  readonly person: Person;
  readonly memberships: readonly Membership[];
  readonly session: Session;
  /** What each change must be sent with. */
  readonly csrfToken: string;
  /** When the session ends unless there is another request, in milliseconds since 1970. */
  readonly endsAt: number;
}

/** What a session is opened for: a person, found or made in the transaction that opens it. */
export interface Arrival {
  readonly personId: string;
  readonly openedBy: OpenedBy;
  readonly beside?: Beside | undefined;
}

/** Milliseconds after a sign-in by link in which a password may be set without the one before. */
const LINK_SETS_PASSWORD_MS = 30 * 60_000;

/** Ends a transaction so that nothing of it stays. */
class Refused extends Error {}

/** Signs people in and out. */
@Injectable()
export class SignInService {
  constructor(
    private readonly database: Database,
    private readonly people: PersonStore,
    private readonly members: MemberStore,
    private readonly passwords: Passwords,
    private readonly store: SessionStore,
    private readonly sessions: SessionsService,
    private readonly cookies: Cookies,
    private readonly links: SignInLinks,
    private readonly throttle: SignInThrottle,
    private readonly config: ConfigService,
  ) {}

  /**
   * Does the same work, and refuses in the same words, whether nobody has the address, the password is another one,
   * there is none, or the person is disabled.
   * @throws ApiError 401 invalid_credentials, 429 rate_limit_exceeded, 503 service_unavailable
   */
  async byPassword(visit: Visit, email: string, password: string): Promise<SignedIn> {
    const personId = await this.checkPassword(visit, email, password);
    const signedIn = personId && (await this.open(visit, async () => ({ personId, openedBy: 'password' })));
    if (!signedIn) throw new ApiError('invalid_credentials', 'The e-mail address or the password is wrong.');
    return signedIn;
  }

  /** @returns the id of the person whose address and password these are; undefined where they are nobody's */
  async checkPassword({ request }: Visit, email: string, password: string): Promise<string | undefined> {
    const address = emailToFind(typedEmail(email));
    return this.throttle.attempt(request.clientAddress ?? '', address ?? '', async () => {
      const row = address === undefined ? undefined : await this.people.rowWithEmail(address);
      const matches = await this.passwords.matches(password, row?.password);
      return matches && row && row.password !== null && row.disabled_at === null ? row.id : undefined;
    });
  }

  /** @throws ApiError 401 invalid_credentials, 429 rate_limit_exceeded */
  async byLink(visit: Visit, token: string): Promise<SignedIn> {
    const arrive = async (trx: Transaction<Schema>): Promise<Arrival | undefined> => {
      const personId = await this.links.use(trx, token);
      return personId === undefined ? undefined : { personId, openedBy: 'link' };
    };
    const signedIn = (await this.links.has(token)) ? await this.open(visit, arrive) : undefined;
    if (signedIn) return signedIn;
    await this.throttle.countWrongLink(visit.request.clientAddress ?? '');
    throw new ApiError('invalid_credentials', 'The link was used before, or has expired. Ask for a new one.');
  }

  /**
   * Opens a session, always a new one: what the browser had before ends. Writes the line of the audit log. A refusal
   * changes nothing.
   * @param arrive finds or makes the person, in the transaction
   * @returns undefined where `arrive` finds nobody, and for a person who is disabled
   */
  async open(
    visit: Visit,
    arrive: (trx: Transaction<Schema>, version: bigint) => Promise<Arrival | undefined>,
  ): Promise<SignedIn | undefined> {
    const { request, reply } = visit;
    const before = this.sessions.of(request);
    const open = async (trx: Transaction<Schema>, version: bigint): Promise<OpenedSession> => {
      const arrival = await arrive(trx, version);
      if (!arrival) throw new Refused();
      const { personId, openedBy, beside } = arrival;
      const row = await trx.selectFrom('person').select(['operator', 'disabled_at']).where('id', '=', personId).executeTakeFirst();
      if (!row || row.disabled_at !== null) throw new Refused();
      if (before)
        await trx.updateTable('session').set({ ended_at: this.database.now(), version }).where('id', '=', before.session.id).execute();
      const made = await this.store.open(trx, version, {
        personId,
        openedBy,
        userAgent: request.headers['user-agent'],
        address: request.clientAddress,
      });
      const role = row.operator === 1n ? 'operator' : undefined;
      await audited(deedBy({ kind: 'user', id: personId, role }, request), { fields: [] })(trx, made.session.id);
      await beside?.(trx, personId);
      return made;
    };
    const opened = await this.database.change('person', open).catch((error: unknown) => {
      if (error instanceof Refused) return undefined;
      throw error;
    });
    if (!opened) return undefined;
    const { session_lifetime } = this.config.current.dashboard;
    this.cookies.write(request, reply, SESSION_COOKIE, opened.token, Math.ceil(session_lifetime / 1_000));
    return this.#view(opened.session, opened.token);
  }

  /** @throws ApiError 401 invalid_session where the person has just been removed or the session ended */
  async current({ request }: Visit): Promise<SignedIn> {
    const { session, token } = this.#own(request);
    return this.#view(session, token);
  }

  /** Ends the session of the browser, and removes its cookie. */
  async signOut({ request, reply }: Visit): Promise<void> {
    const { session } = this.#own(request);
    await this.store.end(session.personId, session.id, audited(deedBy({ kind: 'user', id: session.personId }, request), { fields: [] }));
    this.cookies.write(request, reply, SESSION_COOKIE, '', 0);
  }

  /**
   * Sets the password, and signs out everywhere else. The session counts as opened by it from then on.
   * @param current the one before; not needed where there is none, and soon after a sign-in by link
   * @throws ApiError 400 invalid_request, 401 invalid_credentials, 429 rate_limit_exceeded
   */
  async setPassword(visit: Visit, password: string, current: string | undefined): Promise<SignedIn> {
    const { session, token } = this.#own(visit.request);
    const person = await this.people.row(session.personId);
    const byLink = session.openedBy === 'link' && this.database.now() - session.createdAt < LINK_SETS_PASSWORD_MS;
    if (person && person.password !== null && !byLink) {
      if (current === undefined) throw new ApiError('invalid_request', 'current is missing: the password that is to be replaced');
      if ((await this.checkPassword(visit, person.email, current)) === undefined)
        throw new ApiError('invalid_credentials', 'The current password is wrong.');
    }
    const passwordHash = await this.passwords.hash(password);
    await this.database.change('person', async (trx, version) => {
      const deed = deedBy({ kind: 'user', id: session.personId }, visit.request);
      await this.people.update(trx, version, session.personId, { passwordHash }, audited(deed, { fields: ['password'] }));
      await endSessions(trx, version, session.personId, session.id);
      await trx.updateTable('session').set({ opened_by: 'password', version }).where('id', '=', session.id).execute();
      await trx.deleteFrom('sign_in_link').where('person_id', '=', session.personId).execute();
    });
    return this.#view(session, token);
  }

  #own(request: Visit['request']) {
    const own = this.sessions.of(request);
    if (!own) throw new ApiError('invalid_session', 'Nobody is signed in with this cookie, or not any more.');
    return own;
  }

  async #view(session: Session, token: string): Promise<SignedIn> {
    const [row, memberships] = await Promise.all([this.people.row(session.personId), this.members.ofPerson(session.personId)]);
    if (!row) throw new ApiError('invalid_session', 'Nobody is signed in with this cookie, or not any more.');
    const endsAt = endOf(session, this.config.current.dashboard.session_idle);
    return { person: toPerson(row), memberships, session, csrfToken: this.sessions.csrfToken(token), endsAt };
  }
}
