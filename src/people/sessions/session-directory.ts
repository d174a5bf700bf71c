import type { Selectable } from 'kysely';
import type { MemberRole } from '../../auth/administration/administrator.js';
import type { MembershipTable, SessionTable } from '../../database/people-tables.js';
import type { PersonRow } from '../person.js';
import { type Session, toSession } from './session-store.js';

/** What is known of somebody who may sign in. */
export interface KnownPerson {
  readonly id: string;
  readonly operator: boolean;
  /** Roles by account. */
  readonly memberships: ReadonlyMap<string, MemberRole>;
}

/** A session that is open. */
export interface OpenSession extends Session {
  /** Set by whoever has seen it last. */
  seenAt: number;
}

const nothing: ReadonlyMap<string, MemberRole> = new Map();

/** The open sessions by their digests, and the people who are operators or members of accounts. */
export class SessionDirectory {
  readonly #sessions = new Map<string, OpenSession>();
  readonly #people = new Map<string, KnownPerson>();

  /** Whether there is anybody whom signing in shows something. */
  get hasPeople(): boolean {
    return this.#people.size > 0;
  }

  /** @param digest in latin1 */
  find(digest: string): OpenSession | undefined {
    return this.#sessions.get(digest);
  }

  /** Whose session is open. */
  person(id: string): KnownPerson {
    return this.#people.get(id) ?? { id, operator: false, memberships: nothing };
  }

  /**
   * Takes in what has changed.
   * @param memberships all of them of the people in `people`
   */
  update(
    people: readonly Pick<PersonRow, 'id' | 'operator' | 'disabled_at'>[],
    memberships: readonly Pick<Selectable<MembershipTable>, 'account_id' | 'person_id' | 'role'>[],
    sessions: readonly Selectable<SessionTable>[],
  ): void {
    const roles = Map.groupBy(memberships, ({ person_id }) => person_id);
    for (const { id, operator, disabled_at } of people) {
      const accounts = new Map(roles.get(id)?.map(({ account_id, role }) => [account_id, role]));
      if (disabled_at === null && (operator === 1n || accounts.size > 0))
        this.#people.set(id, { id, operator: operator === 1n, memberships: accounts });
      else this.#people.delete(id);
    }
    for (const row of sessions) {
      const digest = Buffer.from(row.digest, 'hex').toString('latin1');
      if (row.ended_at === null) this.#sessions.set(digest, toSession(row));
      else this.#sessions.delete(digest);
    }
  }

  /** Forgets sessions that have ended by themselves. @param idle milliseconds without a request that end a session */
  sweep(idle: number, now: number): void {
    for (const [digest, session] of this.#sessions) if (!isOpen(session, idle, now)) this.#sessions.delete(digest);
  }
}

/** @param idle as for sweep */
export function isOpen({ seenAt, expiresAt }: Session, idle: number, now: number): boolean {
  return now < endOf({ seenAt, expiresAt }, idle);
}

/** When a session ends unless there is another request, in milliseconds since 1970. @param idle as for sweep */
export function endOf({ seenAt, expiresAt }: Pick<Session, 'seenAt' | 'expiresAt'>, idle: number): number {
  return Math.min(seenAt + idle, expiresAt);
}
