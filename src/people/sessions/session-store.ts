import { Injectable } from '@nestjs/common';
import type { Selectable, Transaction } from 'kysely';
import { ApiKeyHasher } from '../../auth/api-key-hasher.js';
import { generateSecret } from '../../auth/api-key-format.js';
import { randomBase62 } from '../../auth/base62.js';
import { ConfigService } from '../../config/config.service.js';
import { type Beside, Database } from '../../database/database.js';
import type { SessionTable } from '../../database/people-tables.js';
import type { Schema } from '../../database/schema.js';

/** How somebody has signed in. */
export type OpenedBy = 'password' | 'link' | 'invitation' | 'oidc';

/** A browser in which somebody is signed in. Times are milliseconds since 1970. */
export interface Session {
  readonly id: string;
  readonly personId: string;
  readonly openedBy: OpenedBy;
  readonly userAgent: string;
  readonly address?: string | undefined;
  readonly createdAt: number;
  /** About the time of the last request. */
  readonly seenAt: number;
  readonly expiresAt: number;
}

interface NewSession {
  readonly personId: string;
  readonly openedBy: OpenedBy;
  readonly userAgent: string | undefined;
  readonly address: string | undefined;
}

/** A session that was just opened; `token` is what the cookie has, and is nowhere else. */
export interface OpenedSession {
  readonly session: Session;
  readonly token: string;
}

/** Sessions that a person has at most; a further one ends the one that was used the longest ago. */
const MAX_SESSIONS = 20;
const MAX_USER_AGENT = 300;
/** Milliseconds for which sessions stay in the store after their end. */
const KEPT_MS = 86_400_000;

/** Opens, ends and lists sessions. What changes is in force everywhere within a second. */
@Injectable()
export class SessionStore {
  constructor(
    private readonly database: Database,
    private readonly hasher: ApiKeyHasher,
    private readonly config: ConfigService,
  ) {}

  /** Opens a session within a change of the topic `person`. */
  async open(trx: Transaction<Schema>, version: bigint, { personId, openedBy, userAgent, address }: NewSession): Promise<OpenedSession> {
    const { keys, dashboard } = this.config.current;
    const token = generateSecret(keys.prefix, 'session');
    const now = this.database.now();
    const row = await trx
      .insertInto('session')
      .values({
        id: `ses_${randomBase62(16)}`,
        digest: this.hasher.hex(token),
        person_id: personId,
        opened_by: openedBy,
        user_agent: (userAgent ?? '').slice(0, MAX_USER_AGENT),
        address: address ?? null,
        created_at: now,
        seen_at: now,
        expires_at: now + dashboard.session_lifetime,
        version,
      })
      .returningAll()
      .executeTakeFirstOrThrow();
    const kept = trx
      .selectFrom('session')
      .select('id')
      .where('person_id', '=', personId)
      .where('ended_at', 'is', null)
      .orderBy('seen_at', 'desc')
      .orderBy('created_at', 'desc')
      .orderBy('id')
      .limit(MAX_SESSIONS);
    await trx
      .updateTable('session')
      .set({ ended_at: now, version })
      .where('person_id', '=', personId)
      .where('ended_at', 'is', null)
      .where('id', 'not in', kept)
      .execute();
    await trx
      .deleteFrom('session')
      .where('person_id', '=', personId)
      .where((where) => where.or([where('ended_at', '<', BigInt(now - KEPT_MS)), where('expires_at', '<', BigInt(now - KEPT_MS))]))
      .execute();
    return { session: toSession(row), token };
  }

  /** @returns false where the person has no such session */
  end(personId: string, id: string, beside?: Beside): Promise<boolean> {
    return this.database.change('person', async (trx, version) => {
      const ended = await trx
        .updateTable('session')
        .set({ ended_at: this.database.now(), version })
        .where('id', '=', id)
        .where('person_id', '=', personId)
        .where('ended_at', 'is', null)
        .returning('id')
        .executeTakeFirst();
      if (ended) await beside?.(trx, id);
      return ended !== undefined;
    });
  }

  /** Notes that a session is in use. */
  async seen(id: string, at: number): Promise<void> {
    await this.database.change('person', (trx, version) =>
      trx.updateTable('session').set({ seen_at: at, version }).where('id', '=', id).where('seen_at', '<', BigInt(at)).execute(),
    );
  }

  /** The open sessions of a person, newest first. */
  async list(personId: string): Promise<Session[]> {
    const now = this.database.now();
    const rows = await this.database.db
      .selectFrom('session')
      .selectAll()
      .where('person_id', '=', personId)
      .where('ended_at', 'is', null)
      .where('expires_at', '>', BigInt(now))
      .where('seen_at', '>', BigInt(now - this.config.current.dashboard.session_idle))
      .orderBy('created_at', 'desc')
      .orderBy('id')
      .limit(MAX_SESSIONS)
      .execute();
    return rows.map(toSession);
  }
}

/**
 * Ends sessions of a person within a change of the topic `person`.
 * @param except the one that stays; absent: none does
 */
export async function endSessions(trx: Transaction<Schema>, version: bigint, personId: string, except = ''): Promise<void> {
  await trx
    .updateTable('session')
    .set({ ended_at: Date.now(), version })
    .where('person_id', '=', personId)
    .where('id', '!=', except)
    .where('ended_at', 'is', null)
    .execute();
}

export function toSession(row: Selectable<SessionTable>): Session {
  return {
    id: row.id,
    personId: row.person_id,
    openedBy: row.opened_by,
    userAgent: row.user_agent,
    address: row.address ?? undefined,
    createdAt: Number(row.created_at),
    seenAt: Number(row.seen_at),
    expiresAt: Number(row.expires_at),
  };
}
