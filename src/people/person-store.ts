import { Injectable } from '@nestjs/common';
import type { Transaction, Updateable } from 'kysely';
import { randomBase62 } from '../auth/base62.js';
import { type Beside, type ChangeOptions, Database, type RightsChange } from '../database/database.js';
import { afterCursor, hasText, type Page, pageOf, rowsToRead, type SearchQuery, timeCursor } from '../database/pages.js';
import type { PersonTable } from '../database/people-tables.js';
import type { Rights, Schema } from '../database/schema.js';
import { unlessTaken } from '../database/store-error.js';
import { emailToFind, normalEmail, typedEmail } from './email.js';
import { endSessions } from './sessions/session-store.js';
import { nameOf, type Person, type PersonRow, toPerson } from './person.js';

interface NewPerson {
  readonly email: string;
  readonly name: string;
  readonly operator?: boolean | undefined;
  /** As `Passwords.hash` makes it; absent: there is none. */
  readonly passwordHash?: string | undefined;
}

interface PersonChange {
  readonly email?: string | undefined;
  readonly name?: string | undefined;
  readonly operator?: boolean | undefined;
  readonly disabled?: boolean | undefined;
  /** Null removes it. */
  readonly passwordHash?: string | null | undefined;
}

/** Which people a list has. */
type PeopleFilter = { readonly operators?: boolean | undefined };

/** Creates, changes, lists and finds people. What changes is in force everywhere within a second. */
@Injectable()
export class PersonStore {
  constructor(private readonly database: Database) {}

  /**
   * Writes a person within a change of the topic `person`.
   * @throws RangeError for a wrong address or name; what a unique key refuses where the address is taken
   */
  async insert(trx: Transaction<Schema>, version: bigint, { email, name, operator, passwordHash }: NewPerson): Promise<PersonRow> {
    return trx
      .insertInto('person')
      .values({
        id: `usr_${randomBase62(16)}`,
        email: normalEmail(email),
        name: nameOf(name),
        password: passwordHash ?? null,
        operator: operator ? 1 : 0,
        created_at: this.database.now(),
        version,
      })
      .returningAll()
      .executeTakeFirstOrThrow();
  }

  /**
   * Changes a person within a change of the topic `person`; who is disabled is signed out everywhere.
   * @param beside is called where there is such a person
   * @returns undefined when there is none
   */
  async update(
    trx: Transaction<Schema>,
    version: bigint,
    id: string,
    change: PersonChange,
    beside: Beside | undefined,
  ): Promise<PersonRow | undefined> {
    const now = await trx.selectFrom('person').select(['operator', 'disabled_at']).where('id', '=', id).executeTakeFirst();
    if (!now) return undefined;
    if (change.disabled) await endSessions(trx, version, id);
    // A link may have gone to the address of before.
    if (change.disabled || change.email !== undefined) await trx.deleteFrom('sign_in_link').where('person_id', '=', id).execute();
    const row = await trx
      .updateTable('person')
      .set({ ...columnsOf(change), version })
      .where('id', '=', id)
      .returningAll()
      .executeTakeFirstOrThrow();
    await beside?.(trx, id, rightsChange(now, row));
    return row;
  }

  /**
   * Changes what is given.
   * @returns undefined when there is no such person, or not in this version
   * @throws RangeError, and TakenError where another person has the address
   */
  async change(id: string, change: PersonChange, { ifVersion, beside }: ChangeOptions = {}): Promise<Person | undefined> {
    const row = await unlessTaken(`there already is somebody with the address ${change.email}`, () =>
      this.database.change('person', async (trx, version) => {
        const now = await this.database.forUpdate(trx.selectFrom('person').selectAll().where('id', '=', id)).executeTakeFirst();
        if (!now || (ifVersion !== undefined && now.version !== ifVersion)) return undefined;
        await this.#requireOperator(trx, now, change);
        return this.update(trx, version, id, change, beside);
      }),
    );
    return row && toPerson(row);
  }

  /** @throws RangeError where a change would leave no operator who can sign in */
  async #requireOperator(trx: Transaction<Schema>, now: PersonRow, change: PersonChange): Promise<void> {
    if (now.operator === 0n || now.disabled_at !== null || (change.operator !== false && change.disabled !== true)) return;
    const other = await trx
      .selectFrom('person')
      .select('id')
      .where('operator', '=', 1n)
      .where('disabled_at', 'is', null)
      .where('id', '!=', now.id)
      .limit(1)
      .executeTakeFirst();
    if (!other) throw new RangeError('the last operator stays');
  }

  async find(id: string): Promise<Person | undefined> {
    const row = await this.#people().where('id', '=', id).executeTakeFirst();
    return row && toPerson(row);
  }

  /** @param email as somebody has typed it */
  async withEmail(email: string): Promise<Person | undefined> {
    const stored = emailToFind(typedEmail(email));
    const row = stored === undefined ? undefined : await this.rowWithEmail(stored);
    return row && toPerson(row);
  }

  /** @param email as it is stored */
  rowWithEmail(email: string): Promise<PersonRow | undefined> {
    return this.#people().where('email', '=', email).executeTakeFirst();
  }

  row(id: string): Promise<PersonRow | undefined> {
    return this.#people().where('id', '=', id).executeTakeFirst();
  }

  /** Lists people, oldest first. @throws RangeError for a wrong cursor */
  async page(query: SearchQuery, { operators }: PeopleFilter = {}): Promise<Page<Person>> {
    let rows = this.#people()
      .where(hasText(query.search, 'email', 'name', 'id'))
      .where(afterCursor('person', query.after))
      .orderBy('created_at')
      .orderBy('id')
      .limit(rowsToRead(query));
    if (operators) rows = rows.where('operator', '=', 1n);
    return pageOf(await rows.execute(), query, timeCursor, toPerson);
  }

  #people() {
    return this.database.db.selectFrom('person').selectAll();
  }
}

type HasRights = Pick<PersonRow, 'operator' | 'disabled_at'>;

function rightsChange(before: HasRights, after: HasRights): RightsChange | undefined {
  for (const rights of [mayEnter, mayOperate])
    if (rights(before) !== rights(after)) return { before: rights(before), after: rights(after) };
  return undefined;
}

const mayEnter = ({ disabled_at }: HasRights): Rights => (disabled_at === null ? 'enabled' : 'disabled');
const mayOperate = ({ operator }: HasRights): Rights => (operator === 1n ? 'operator' : 'none');

function columnsOf({ email, name, operator, disabled, passwordHash }: PersonChange): Updateable<PersonTable> {
  return {
    ...(email === undefined ? {} : { email: normalEmail(email) }),
    ...(name === undefined ? {} : { name: nameOf(name) }),
    ...(operator === undefined ? {} : { operator: operator ? 1 : 0 }),
    ...(disabled === undefined ? {} : { disabled_at: disabled ? Date.now() : null }),
    ...(passwordHash === undefined ? {} : { password: passwordHash }),
  };
}
