import { Injectable } from '@nestjs/common';
import type { Transaction } from 'kysely';
import type { MemberRole } from '../auth/administration/administrator.js';
import { type Beside, type ChangeOptions, Database } from '../database/database.js';
import type { Schema } from '../database/schema.js';
import { type Person, type PersonRow, toPerson } from './person.js';
import { endSessions } from './sessions/session-store.js';

/** Somebody's place in an account. */
export interface Member {
  readonly person: Person;
  readonly role: MemberRole;
  /** When they became a member, in milliseconds since 1970. */
  readonly since: number;
  /** About the time of their last request, of any account; undefined where they have never signed in. */
  readonly seenAt?: number | undefined;
}

/** An account that a person is a member of. */
export interface Membership {
  readonly accountId: string;
  readonly accountName: string;
  readonly role: MemberRole;
}

/** Members that an account has at most. */
const MAX_MEMBERS = 1_000;

/** Who belongs to which account. What changes is in force everywhere within a second. */
@Injectable()
export class MemberStore {
  constructor(private readonly database: Database) {}

  /** The members of an account by their addresses; at most MAX_MEMBERS. */
  async list(accountId: string): Promise<Member[]> {
    const rows = await this.#members(accountId).orderBy('person.email').limit(MAX_MEMBERS).execute();
    return rows.map(toMember);
  }

  async find(accountId: string, personId: string): Promise<Member | undefined> {
    const row = await this.#members(accountId).where('person.id', '=', personId).executeTakeFirst();
    return row && toMember(row);
  }

  /** The accounts of a person, by their names. */
  async ofPerson(personId: string): Promise<Membership[]> {
    const rows = await this.database.db
      .selectFrom('membership')
      .innerJoin('account', 'account.id', 'membership.account_id')
      .select(['account.id', 'account.name', 'membership.role'])
      .where('membership.person_id', '=', personId)
      .orderBy('account.name')
      .execute();
    return rows.map(({ id, name, role }) => ({ accountId: id, accountName: name, role }));
  }

  /**
   * Makes somebody a member, within a change of the topic `person`; who already is one stays as they are.
   * @param beside is called where they are one from now on
   * @throws RangeError where the account has as many as it may have
   */
  async put(
    trx: Transaction<Schema>,
    version: bigint,
    accountId: string,
    personId: string,
    role: MemberRole,
    beside: Beside,
  ): Promise<void> {
    const { count } = await trx
      .selectFrom('membership')
      .select((select) => select.fn.countAll<bigint>().as('count'))
      .where('account_id', '=', accountId)
      .executeTakeFirstOrThrow();
    if (count >= BigInt(MAX_MEMBERS)) throw new RangeError(`an account has at most ${MAX_MEMBERS} members`);
    const made = await trx
      .insertInto('membership')
      .values({ account_id: accountId, person_id: personId, role, created_at: this.database.now() })
      .onConflict((conflict) => conflict.columns(['account_id', 'person_id']).doNothing())
      .returning('role')
      .executeTakeFirst();
    await touch(trx, version, personId);
    if (made) await beside(trx, personId, { before: 'none', after: role });
  }

  /**
   * @returns false where there is no such member, or not in this version of the person
   * @throws RangeError where no owner would be left
   */
  changeRole(accountId: string, personId: string, role: MemberRole, options: ChangeOptions = {}): Promise<boolean> {
    return this.#change(accountId, personId, role, options, (trx) =>
      trx.updateTable('membership').set({ role }).where('account_id', '=', accountId).where('person_id', '=', personId).executeTakeFirst(),
    );
  }

  /** As changeRole. Who has no account left is signed out everywhere, unless they are an operator. */
  remove(accountId: string, personId: string, options: ChangeOptions = {}): Promise<boolean> {
    return this.#change(accountId, personId, 'none', options, async (trx, version) => {
      await trx.deleteFrom('membership').where('account_id', '=', accountId).where('person_id', '=', personId).execute();
      const { operator } = await trx.selectFrom('person').select('operator').where('id', '=', personId).executeTakeFirstOrThrow();
      const other = await trx.selectFrom('membership').select('role').where('person_id', '=', personId).limit(1).executeTakeFirst();
      if (!other && operator === 0n) await endSessions(trx, version, personId);
    });
  }

  /** Changes of memberships come one after the other, because each raises the counter of the topic first. */
  #change(
    accountId: string,
    personId: string,
    after: MemberRole | 'none',
    { ifVersion, beside }: ChangeOptions,
    write: (trx: Transaction<Schema>, version: bigint) => Promise<unknown>,
  ): Promise<boolean> {
    return this.database.change('person', async (trx, version) => {
      const owners = await trx
        .selectFrom('membership')
        .select('person_id')
        .where('account_id', '=', accountId)
        .where('role', '=', 'owner')
        .limit(2)
        .execute();
      const known = await trx
        .selectFrom('membership')
        .innerJoin('person', 'person.id', 'membership.person_id')
        .select(['membership.role', 'person.version'])
        .where('membership.account_id', '=', accountId)
        .where('person.id', '=', personId)
        .executeTakeFirst();
      if (!known || (ifVersion !== undefined && known.version !== ifVersion)) return false;
      if (after !== 'owner' && known.role === 'owner' && owners.length < 2) throw new RangeError('the last owner of an account stays');
      await write(trx, version);
      await touch(trx, version, personId);
      await beside?.(trx, personId, { before: known.role, after });
      return true;
    });
  }

  #members(accountId: string) {
    return this.database.db
      .selectFrom('membership')
      .innerJoin('person', 'person.id', 'membership.person_id')
      .selectAll('person')
      .select(['membership.role', 'membership.created_at as since'])
      .select((select) =>
        // Sessions that have ended stay until their person signs in anew.
        select
          .selectFrom('session')
          .select(({ fn }) => fn.max('seen_at').as('at'))
          .whereRef('session.person_id', '=', 'person.id')
          .as('seen_at'),
      )
      .where('membership.account_id', '=', accountId);
  }
}

/** Whoever follows the topic reads the memberships of people who have changed. */
async function touch(trx: Transaction<Schema>, version: bigint, personId: string): Promise<void> {
  await trx.updateTable('person').set({ version }).where('id', '=', personId).execute();
}

type MemberRow = PersonRow & { role: MemberRole; since: bigint; seen_at: bigint | null };

function toMember({ role, since, seen_at, ...row }: MemberRow): Member {
  return { person: toPerson(row), role, since: Number(since), seenAt: seen_at === null ? undefined : Number(seen_at) };
}
