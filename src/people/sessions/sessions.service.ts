import { timingSafeEqual } from 'node:crypto';
import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { type Administrator, NO_ACCOUNT } from '../../auth/administration/administrator.js';
import { SessionAuthenticator } from '../../auth/administration/session-authenticator.js';
import { ApiKeyHasher } from '../../auth/api-key-hasher.js';
import { ApiError } from '../../common/api-error.js';
import { messageOf } from '../../common/message-of.js';
import { ConfigService } from '../../config/config.service.js';
import { Database } from '../../database/database.js';
import { Cookies, publicUrl } from './cookies.js';
import { isOpen, type KnownPerson, type OpenSession, SessionDirectory } from './session-directory.js';
import { SessionStore } from './session-store.js';

export const SESSION_COOKIE = 'switchyard_session';

/** A session is noted as in use again after this part of the time without a request that ends it. */
const NOTED_PART = 20;

const SAFE = /^(GET|HEAD|OPTIONS)$/;

/**
 * Knows people by their cookie. The open sessions are in memory, and follow changes within a second, so that no request
 * waits for the store; requests of customers are not looked at.
 */
@Injectable()
export class SessionsService extends SessionAuthenticator implements OnModuleInit {
  readonly #logger = new Logger('People');
  readonly #directory = new SessionDirectory();
  /** The version of the newest row of each table that is in memory. */
  readonly #versions = { person: 0n, session: 0n };

  constructor(
    private readonly database: Database,
    private readonly hasher: ApiKeyHasher,
    private readonly store: SessionStore,
    private readonly cookies: Cookies,
    private readonly config: ConfigService,
  ) {
    super();
  }

  async onModuleInit(): Promise<void> {
    await this.database.follow('person', () => this.#read());
  }

  get hasPeople(): boolean {
    return this.#directory.hasPeople;
  }

  override authenticate(request: FastifyRequest): Administrator | undefined {
    const token = this.cookies.read(request, SESSION_COOKIE);
    if (token === undefined) return undefined;
    const session = this.find(token);
    if (!session) throw new ApiError('invalid_session', 'Nobody is signed in with this cookie, or not any more.');
    if (!SAFE.test(request.method)) {
      this.requireOwnOrigin(request);
      this.requireToken(request, token);
    }
    this.#note(session);
    return administratorOf(
      this.#directory.person(session.personId),
      session.id,
      (request.params as { readonly account?: string } | undefined)?.account,
    );
  }

  override requireOwnOrigin(request: FastifyRequest): void {
    const { origin, host } = request.headers;
    // A program that is no browser sends none; a browser does with everything that is not safe.
    if (SAFE.test(request.method) || origin === undefined) return;
    const url = publicUrl(this.config.current);
    if (origin === `${this.cookies.isSecure(request) ? 'https' : 'http'}://${host}`) return;
    if (url !== undefined && origin === new URL(url).origin) return;
    throw new ApiError('permission_denied', 'The request comes from a page of another origin.');
  }

  /**
   * @param token what the cookie has
   * @throws ApiError 403 permission_denied where the request has not the token that its page was given
   */
  requireToken(request: FastifyRequest, token: string): void {
    if (!sameText(request.headers['x-csrf-token'], this.csrfToken(token)))
      throw new ApiError('permission_denied', 'The header x-csrf-token must have the token of the session.');
  }

  /** @param token what the cookie has */
  find(token: string): OpenSession | undefined {
    const session = this.#directory.find(this.hasher.binary(token));
    return session && isOpen(session, this.config.current.dashboard.session_idle, this.database.now()) ? session : undefined;
  }

  /** The open session of a request, whose cookie was found valid. */
  of(request: FastifyRequest): { readonly session: OpenSession; readonly token: string } | undefined {
    const token = this.cookies.read(request, SESSION_COOKIE);
    const session = token === undefined ? undefined : this.find(token);
    return session && { session, token: token! };
  }

  /** What a page must send with each change: a page of another origin cannot know it. */
  csrfToken(token: string): string {
    return this.hasher.hex(`csrf ${token}`);
  }

  #note(session: OpenSession): void {
    const now = this.database.now();
    if (now - session.seenAt < this.config.current.dashboard.session_idle / NOTED_PART) return;
    session.seenAt = now;
    this.store.seen(session.id, now).catch((error: unknown) => this.#logger.warn(`A session was not noted as in use: ${messageOf(error)}`));
  }

  async #read(): Promise<void> {
    const { db } = this.database;
    const { person, session } = this.#versions;
    const changed = db.selectFrom('person').where('version', '>', person);
    const [people, sessions] = await Promise.all([
      changed
        .select(['id', 'operator', 'disabled_at', 'version'])
        .$if(person === 0n, (all) =>
          all.where((where) =>
            where.or([where('operator', '=', 1n), where('id', 'in', where.selectFrom('membership').select('person_id'))]),
          ),
        )
        .execute(),
      db
        .selectFrom('session')
        .selectAll()
        .where('version', '>', session)
        // Before the first look there is nothing in memory that has ended.
        .$if(session === 0n, (all) => all.where('ended_at', 'is', null).where('expires_at', '>', BigInt(this.database.now())))
        .execute(),
    ]);
    const memberships =
      people.length === 0
        ? []
        : await db
            .selectFrom('membership')
            .select(['account_id', 'person_id', 'role'])
            .where('person_id', 'in', changed.select('id'))
            .execute();
    this.#versions.person = newest(people, person);
    this.#versions.session = newest(sessions, session);
    this.#directory.update(people, memberships, sessions);
    this.#directory.sweep(this.config.current.dashboard.session_idle, this.database.now());
  }
}

function administratorOf({ id, operator, memberships }: KnownPerson, sessionId: string, account: string | undefined): Administrator {
  if (operator) return { kind: 'user', id, sessionId, role: 'operator', accountId: undefined };
  const role = account === undefined ? undefined : memberships.get(account);
  return role === undefined
    ? { kind: 'user', id, sessionId, role: 'viewer', accountId: NO_ACCOUNT }
    : { kind: 'user', id, sessionId, role, accountId: account };
}

function sameText(given: string | string[] | undefined, expected: string): boolean {
  if (typeof given !== 'string') return false;
  const [one, other] = [Buffer.from(given), Buffer.from(expected)];
  return one.length === other.length && timingSafeEqual(one, other);
}

function newest(rows: readonly { readonly version: bigint }[], known: bigint): bigint {
  return rows.reduce((highest, { version }) => (version > highest ? version : highest), known);
}
