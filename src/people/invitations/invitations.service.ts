import { Injectable } from '@nestjs/common';
import type { Transaction } from 'kysely';
import { AccountStore } from '../../auth/account-store.js';
import type { MemberRole } from '../../auth/administration/administrator.js';
import { deedBy } from '../../auth/administration/deed.decorator.js';
import { ApiError } from '../../common/api-error.js';
import type { Schema } from '../../database/schema.js';
import { unlessTaken } from '../../database/store-error.js';
import { audited } from '../../observability/audit/audit-log.js';
import { MemberStore } from '../member-store.js';
import { Passwords } from '../passwords/passwords.js';
import { PersonStore } from '../person-store.js';
import { endSessions } from '../sessions/session-store.js';
import { SessionsService } from '../sessions/sessions.service.js';
import { type Arrival, type SignedIn, SignInService } from '../sign-in/sign-in.service.js';
import { SignInThrottle } from '../sign-in/sign-in-throttle.js';
import type { Visit } from '../visit.js';
import { type Invitation, InvitationStore } from './invitation-store.js';

/** An invitation, as whoever has its link sees it. */
export interface ShownInvitation {
  readonly invitation: Invitation;
  /** Undefined for operators. */
  readonly accountName: string | undefined;
  /** Somebody with the address signs in already: it is theirs to accept. */
  readonly known: boolean;
}

/** Lets people accept invitations. */
@Injectable()
export class InvitationsService {
  constructor(
    private readonly invitations: InvitationStore,
    private readonly accounts: AccountStore,
    private readonly people: PersonStore,
    private readonly members: MemberStore,
    private readonly passwords: Passwords,
    private readonly sessions: SessionsService,
    private readonly signIn: SignInService,
    private readonly throttle: SignInThrottle,
  ) {}

  /** @throws ApiError 404 not_found, 429 rate_limit_exceeded */
  async show({ request }: Visit, token: string): Promise<ShownInvitation> {
    const invitation = await this.invitations.withToken(token);
    if (!invitation) {
      await this.throttle.countWrongLink(request.clientAddress ?? '');
      throw notValid();
    }
    const [account, person] = await Promise.all([
      invitation.accountId === undefined ? undefined : this.accounts.withId(invitation.accountId),
      this.people.rowWithEmail(invitation.email),
    ]);
    return { invitation, accountName: account?.name, known: person !== undefined };
  }

  /**
   * Makes the person a member or an operator, and signs them in. Whoever has the link may be anybody: somebody who signs
   * in already must be signed in as that person, or give their password; a new person chooses one. Of somebody who has
   * signed in by a link, and set no password since, the password before and all other sessions end.
   * @throws ApiError 400 invalid_request, 401 invalid_credentials, 404 not_found, 429 rate_limit_exceeded
   */
  async accept(
    visit: Visit,
    token: string,
    { name, password }: { name?: string | undefined; password?: string | undefined },
  ): Promise<SignedIn> {
    const { invitation } = await this.show(visit, token);
    const person = await this.people.rowWithEmail(invitation.email);
    const arrive = person
      ? await this.#asKnown(visit, person.id, invitation, password)
      : await this.#asNew(visit, invitation, name ?? '', password);
    const signedIn = await unlessTaken('somebody else has just accepted it', () =>
      this.signIn.open(visit, async (trx, version) => {
        const used = await this.invitations.use(trx, invitation.id);
        return used && arrive(trx, version);
      }),
    );
    if (!signedIn) throw notValid();
    return signedIn;
  }

  /** Gives somebody what an invitation promises, within a change of the topic `person`. */
  async grant(
    { request }: Visit,
    trx: Transaction<Schema>,
    version: bigint,
    personId: string,
    { role, accountId }: Invitation,
  ): Promise<void> {
    const line = audited(deedBy({ kind: 'user', id: personId, role }, request), { accountId, fields: ['role'] });
    if (accountId === undefined) await this.people.update(trx, version, personId, { operator: true }, line);
    else await this.members.put(trx, version, accountId, personId, role as MemberRole, line);
  }

  /** Ends what somebody had who has not shown that the address is theirs, within a change of the topic `person`. */
  async takeOver({ request }: Visit, trx: Transaction<Schema>, version: bigint, personId: string): Promise<void> {
    const line = audited(deedBy({ kind: 'user', id: personId }, request), { fields: ['password'] });
    await this.people.update(trx, version, personId, { passwordHash: null }, line);
    await endSessions(trx, version, personId);
    await trx.deleteFrom('sign_in_link').where('person_id', '=', personId).execute();
  }

  async #asKnown(visit: Visit, personId: string, invitation: Invitation, password: string | undefined) {
    const own = this.sessions.of(visit.request);
    if (own?.session.personId === personId) this.sessions.requireToken(visit.request, own.token);
    else {
      const owner = password === undefined ? undefined : await this.signIn.checkPassword(visit, invitation.email, password);
      if (owner !== personId)
        throw new ApiError(
          'invalid_credentials',
          `Somebody signs in with ${invitation.email} already. Sign in as them, or give their password.`,
        );
    }
    return async (trx: Transaction<Schema>, version: bigint) => {
      // A link is the first proof that the address is theirs: whoever has had it before may know a password, and be
      // signed in.
      if (own?.session.personId === personId && own.session.openedBy === 'link') await this.takeOver(visit, trx, version, personId);
      return this.#arrive(visit, trx, version, personId, invitation);
    };
  }

  async #asNew(visit: Visit, invitation: Invitation, name: string, password: string | undefined) {
    if (password === undefined) throw new ApiError('invalid_request', 'password is missing');
    const passwordHash = await this.passwords.hash(password);
    return async (trx: Transaction<Schema>, version: bigint) => {
      const { id } = await this.people.insert(trx, version, { email: invitation.email, name, passwordHash });
      return this.#arrive(visit, trx, version, id, invitation);
    };
  }

  async #arrive(visit: Visit, trx: Transaction<Schema>, version: bigint, personId: string, invitation: Invitation): Promise<Arrival> {
    await this.grant(visit, trx, version, personId, invitation);
    return { personId, openedBy: 'invitation' };
  }
}

function notValid(): ApiError {
  return new ApiError('not_found', 'The invitation was used or withdrawn before, or has expired. Ask for a new one.');
}
