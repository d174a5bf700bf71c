import { Injectable } from '@nestjs/common';
import { type Insertable, type Selectable, sql, type Transaction, type UpdateObject } from 'kysely';
import { ConfigService } from '../config/config.service.js';
import { type Beside, type ChangeOptions, Database } from '../database/database.js';
import { recordEvent, type StoredEvent } from '../database/outbox.js';
import { afterCursor, type FindQuery, hasText, hasVersion, isOneOf, type Page, pageOf, rowsToRead, timeCursor } from '../database/pages.js';
import type { ApiKeyTable, Schema } from '../database/schema.js';
import { unlessTaken } from '../database/store-error.js';
import { displayApiKey, generateApiKey, parseApiKey } from './api-key-format.js';
import { bytesOf, requireSpace } from './account-space.js';
import { ApiKeyHasher } from './api-key-hasher.js';
import { randomBase62 } from './base62.js';
import { lastUse } from './key-use.js';
import { PEPPER_VERSION } from './pepper.js';
import type { Environment } from './principal.js';
import { type RulesDto, rulesText } from './rules/rules.dto.js';

/** What may be shown of a key. Times are milliseconds since 1970. */
export interface ApiKey {
  readonly id: string;
  readonly accountId: string;
  readonly environment: Environment;
  readonly projectId?: string | undefined;
  readonly label: string;
  readonly rules: RulesDto;
  /** What the owner wants to see beside the usage of the key. */
  readonly metadata: Metadata;
  /**
   * The first key of the line that this one continues: all of a line share limits and budgets. Its own id where it is
   * the first.
   */
  readonly firstId: string;
  /** The prefix, the environment and the first and last four characters. */
  readonly display: string;
  readonly createdAt: number;
  readonly expiresAt?: number | undefined;
  readonly revokedAt?: number | undefined;
  /** When its last request ended, to the minute; undefined where it has had none. */
  readonly usedAt?: number | undefined;
  /** Grows with each change. */
  readonly version: bigint;
}

export type Metadata = Readonly<Record<string, string>>;

export interface NewApiKey {
  /** Made by whoever asks, so that a repetition makes nothing new; absent: made here. */
  readonly id?: string | undefined;
  readonly accountId: string;
  readonly environment: Environment;
  readonly projectId?: string | undefined;
  readonly label?: string | undefined;
  readonly rules?: RulesDto | undefined;
  readonly metadata?: Metadata | undefined;
  /** Milliseconds since 1970; absent means that the key never expires. */
  readonly expiresAt?: number | undefined;
}

/** What may change of a key; rules and metadata are replaced as a whole, and null takes the expiry away. */
interface ApiKeyChange {
  readonly label?: string | undefined;
  readonly rules?: RulesDto | undefined;
  readonly metadata?: Metadata | undefined;
  readonly expiresAt?: number | null | undefined;
}

/** Which keys are listed. */
export interface ApiKeyQuery extends FindQuery {
  readonly environment?: Environment | undefined;
  /** Only those that are neither revoked nor expired. */
  readonly active?: boolean | undefined;
  readonly newestFirst?: boolean | undefined;
}

const MAX_LABEL = 200;
const MAX_METADATA = 16;
const MAX_METADATA_NAME = 64;
const MAX_METADATA_VALUE = 512;
/** Bytes of metadata that a revoked key may keep, about as many as the rest of its row. No limit counts them. */
const MAX_ENDED_METADATA = 1_024;

/** Milliseconds for which a key and its successor are both valid, at most. */
export const MAX_KEY_GRACE_MS = 365 * 86_400_000;

/**
 * Creates, revokes and lists the keys in the store. Each change gets the next version, so that every process can ask
 * for what is newer than what it has.
 */
@Injectable()
export class ApiKeyStore {
  constructor(
    private readonly database: Database,
    private readonly hasher: ApiKeyHasher,
    private readonly config: ConfigService,
  ) {}

  /**
   * Creates a key. The full `key` is returned here and never again.
   * @throws RangeError for a wrong label, wrong rules or wrong metadata, for a project that has been archived or is not of
   * the account, and where the account has as many keys as it may, TakenError where the id is taken
   */
  async create(
    { id = newId(), accountId, environment, projectId, label, rules, metadata, expiresAt }: NewApiKey,
    beside?: Beside,
  ): Promise<MadeApiKey> {
    const made = await this.#make(id, async (trx) => {
      const values = { id, account_id: accountId, environment, project_id: projectId, label: '', expires_at: expiresAt };
      const set = changed({ label, rules, metadata });
      if (projectId !== undefined) await requireOpenProject(trx, accountId, projectId);
      await beside?.(trx, id);
      return { ...values, ...set, created_at: this.database.now() };
    });
    return made!;
  }

  /**
   * Makes a key that takes the place of another, with the same rules, project, metadata and expiry, and the same limits
   * and budgets, which both use until the old one expires after `grace` milliseconds. One that was rotated before may be
   * rotated again until then.
   * @param id of the new key; absent: made here
   * @returns undefined when there is no such key, or it was revoked or has expired
   */
  rotate(old: string, grace: number, id = newId(), beside?: Beside): Promise<MadeApiKey | undefined> {
    return this.#make(id, async (trx, version) => {
      const row = await trx.selectFrom('api_key').selectAll().where('id', '=', old).executeTakeFirst();
      if (!row || row.revoked_at !== null) return undefined;
      const now = this.database.now();
      const { account_id, environment, project_id, label, rules, metadata } = row;
      const first_id = row.first_id ?? old;
      // What has taken the key's place before has the expiry that the key had then.
      const last = await newestOfLine(trx, account_id, first_id, row.created_at);
      const { expires_at } = last ?? row;
      if (isOver(row.expires_at, now) || isOver(expires_at, now)) return undefined;
      const end = now + grace;
      const ending = row.expires_at === null || row.expires_at > end ? end : row.expires_at;
      await trx.updateTable('api_key').set({ expires_at: ending, version }).where('id', '=', old).execute();
      await beside?.(trx, id);
      // The keys of a line are told apart by when they were made, whose clock it was and however soon after one another.
      const created_at = Math.max(now, Number((last ?? row).created_at) + 1);
      return { id, account_id, environment, project_id, label, rules, metadata, first_id, expires_at, created_at };
    });
  }

  /**
   * Changes what is given. In force everywhere within a second.
   * @returns undefined when there is no such key, or not in this version, or it was revoked
   * @throws RangeError as create
   */
  async change(id: string, change: ApiKeyChange, { ifVersion, beside }: ChangeOptions = {}): Promise<ApiKey | undefined> {
    const set = { ...changed(change), ...(change.expiresAt === undefined ? {} : { expires_at: change.expiresAt }) };
    const row = await this.database.change('api_key', async (trx, version) => {
      const now = await this.#update(trx, id, ifVersion, { ...set, version });
      if (now) {
        // A key that had expired may be valid again.
        if (change.expiresAt === null || change.expiresAt! > this.database.now()) await this.#requireSpace(trx, now);
        await beside?.(trx, id);
      }
      return now;
    });
    return row && toApiKey(row);
  }

  /**
   * Revokes a key. Its rules are dropped, and metadata of more than `MAX_ENDED_METADATA` bytes. One that was already
   * revoked, or is not in this version, stays as it is.
   * @returns undefined when there is no such key
   */
  async revoke(id: string, { ifVersion, beside }: ChangeOptions = {}): Promise<ApiKey | undefined> {
    const metadata = sql<string | null>`case when octet_length(metadata) <= ${sql.lit(MAX_ENDED_METADATA)} then metadata end`;
    const revoked = await this.database.change('api_key', async (trx, version) => {
      const now = await this.#update(trx, id, ifVersion, { revoked_at: this.database.now(), rules: null, metadata, version });
      if (now) {
        await recordEvent(this.database, revocation(now)).execute(trx);
        await beside?.(trx, id);
      }
      return now;
    });
    const row = revoked ?? (await this.#row(id));
    return row && toApiKey(row);
  }

  async find(id: string): Promise<ApiKey | undefined> {
    const row = await this.#row(id);
    return row && toApiKey(row);
  }

  /** Lists keys, oldest first: those of one account, or all of them. */
  async list(accountId?: string): Promise<ApiKey[]> {
    let query = this.#keys().orderBy('created_at').orderBy('id');
    if (accountId !== undefined) query = query.where('account_id', '=', accountId);
    return (await query.execute()).map(toApiKey);
  }

  /** Lists keys of an account, oldest first where nothing else is asked for. @throws RangeError for a wrong cursor */
  async page(accountId: string, query: ApiKeyQuery): Promise<Page<ApiKey>> {
    const { environment, active, ids, newestFirst = false, search, after } = query;
    const order = newestFirst ? 'desc' : 'asc';
    let keys = this.#keys()
      .where('account_id', '=', accountId)
      .where(hasText(search, 'label', 'display', 'id'))
      .where(isOneOf('api_key', ids))
      .where(afterCursor('api_key', after, newestFirst))
      .orderBy('created_at', order)
      .orderBy('id', order)
      .limit(rowsToRead(query));
    if (environment) keys = keys.where('environment', '=', environment);
    if (active)
      keys = keys
        .where('revoked_at', 'is', null)
        .where((key) => key.or([key('expires_at', 'is', null), key('expires_at', '>', BigInt(Date.now()))]));
    return pageOf(await keys.execute(), query, timeCursor, toApiKey);
  }

  /** @param values resolves with what the key is to be, in the transaction that makes it; undefined: nothing is made */
  async #make(
    id: string,
    values: (trx: Transaction<Schema>, version: bigint) => Promise<NewRow | undefined>,
  ): Promise<MadeApiKey | undefined> {
    const made = this.database.change('api_key', async (trx, version) => {
      const wanted = await values(trx, version);
      if (!wanted) return undefined;
      const key = generateApiKey(this.config.current.keys.prefix, wanted.environment);
      const secret = { digest: this.hasher.hex(key), pepper_version: PEPPER_VERSION, display: displayApiKey(parseApiKey(key)!) };
      // Each row that changes has a version of its own.
      const { rows } = await this.database.raise('api_key').execute(trx);
      const row = await trx
        .insertInto('api_key')
        .values({ ...wanted, ...secret, rules_bytes: bytesOf(wanted.rules, wanted.metadata), version: rows[0]!.value })
        .returningAll()
        .executeTakeFirstOrThrow();
      await this.#requireSpace(trx, row);
      return { apiKey: toApiKey(row), key };
    });
    return unlessTaken(`there already is a key with the id ${id}`, () => made);
  }

  /** Changes a key that is not revoked. @throws as #resize */
  async #update(
    trx: Transaction<Schema>,
    id: string,
    ifVersion: bigint | undefined,
    set: UpdateObject<Schema, 'api_key'>,
  ): Promise<Selectable<ApiKeyTable> | undefined> {
    const update = trx.updateTable('api_key').set(set).where('id', '=', id).where('revoked_at', 'is', null).where(hasVersion(ifVersion));
    const now = await update.returningAll().returning(lastUse).executeTakeFirst();
    if (now) await this.#resize(trx, now);
    return now;
  }

  /** @throws RangeError where what was changed has grown beyond what the account may have */
  async #resize(trx: Transaction<Schema>, row: Selectable<ApiKeyTable>): Promise<void> {
    const rules_bytes = bytesOf(row.rules, row.metadata);
    if (rules_bytes === Number(row.rules_bytes)) return;
    await trx.updateTable('api_key').set({ rules_bytes }).where('id', '=', row.id).execute();
    if (rules_bytes > Number(row.rules_bytes)) await this.#requireSpace(trx, { ...row, rules_bytes });
  }

  #requireSpace(trx: Transaction<Schema>, row: Parameters<typeof requireSpace>[1]): Promise<void> {
    return requireSpace(trx, row, this.database.now(), this.config.current.limits);
  }

  #row(id: string): Promise<KeyRow | undefined> {
    return this.#keys().where('id', '=', id).executeTakeFirst();
  }

  #keys() {
    return this.database.db.selectFrom('api_key').selectAll('api_key').select(lastUse);
  }
}

type NewRow = Omit<Insertable<ApiKeyTable>, 'digest' | 'pepper_version' | 'display' | 'rules_bytes' | 'version'>;
type KeyRow = Selectable<ApiKeyTable> & { readonly used_at?: bigint | null };

/** A key that was just made; `key` is the full text. */
export interface MadeApiKey {
  readonly apiKey: ApiKey;
  readonly key: string;
}

const newId = (): string => `key_${randomBase62(16)}`;

/** Whether an expiry has passed. */
const isOver = (expiresAt: bigint | null, now: number): boolean => expiresAt !== null && expiresAt <= now;

/** The newest of the keys that continue a line and were made after one of its keys. */
function newestOfLine(trx: Transaction<Schema>, accountId: string, firstId: string, createdAfter: bigint) {
  return trx
    .selectFrom('api_key')
    .select(['created_at', 'expires_at'])
    .where('account_id', '=', accountId)
    .where('first_id', '=', firstId)
    .where('created_at', '>', createdAfter)
    .orderBy('created_at', 'desc')
    .limit(1)
    .executeTakeFirst();
}

/** @throws RangeError */
async function requireOpenProject(trx: Transaction<Schema>, accountId: string, id: string): Promise<void> {
  const project = await trx
    .selectFrom('project')
    .select(['name', 'archived_at'])
    .where('id', '=', id)
    .where('account_id', '=', accountId)
    .executeTakeFirst();
  if (!project) throw new RangeError(`the account has no project '${id}'`);
  if (project.archived_at !== null) throw new RangeError(`the project '${project.name}' is archived`);
}

/** @throws RangeError */
function changed({ label, rules, metadata }: ApiKeyChange): Partial<Pick<Selectable<ApiKeyTable>, 'label' | 'rules' | 'metadata'>> {
  if (label !== undefined && label.length > MAX_LABEL) throw new RangeError(`a key’s label has at most ${MAX_LABEL} characters`);
  return {
    ...(label === undefined ? {} : { label }),
    ...(rules === undefined ? {} : { rules: rulesText(rules) }),
    ...(metadata === undefined ? {} : { metadata: metadataText(metadata) }),
  };
}

function metadataText(metadata: Metadata): string | null {
  const entries = Object.entries(metadata);
  const fits = entries.every(
    ([name, value]) => name.length <= MAX_METADATA_NAME && typeof value === 'string' && value.length <= MAX_METADATA_VALUE,
  );
  // PostgreSQL reads neither out of JSON.
  if (entries.flat().some((text) => typeof text === 'string' && (text.includes('\0') || !text.isWellFormed())))
    throw new RangeError('metadata must contain neither NUL nor half a surrogate pair');
  if (entries.length > MAX_METADATA || !fits)
    throw new RangeError(
      `metadata has at most ${MAX_METADATA} texts of at most ${MAX_METADATA_VALUE} characters, under names of at most ${MAX_METADATA_NAME}`,
    );
  return entries.length === 0 ? null : JSON.stringify(metadata);
}

function revocation({ id, account_id, environment, project_id, label, display, revoked_at }: Selectable<ApiKeyTable>): StoredEvent {
  const key = { key_id: id, account_id, environment, project_id, label, display, revoked_at: new Date(Number(revoked_at)).toISOString() };
  return { type: 'key.revoked', accountId: account_id, data: key };
}

function toApiKey(row: KeyRow): ApiKey {
  return {
    id: row.id,
    accountId: row.account_id,
    environment: row.environment,
    projectId: row.project_id ?? undefined,
    label: row.label,
    rules: row.rules === null ? {} : (JSON.parse(row.rules) as RulesDto),
    metadata: row.metadata === null ? {} : (JSON.parse(row.metadata) as Metadata),
    firstId: row.first_id ?? row.id,
    display: row.display,
    createdAt: Number(row.created_at),
    expiresAt: row.expires_at === null ? undefined : Number(row.expires_at),
    revokedAt: row.revoked_at === null ? undefined : Number(row.revoked_at),
    usedAt: row.used_at == null ? undefined : Number(row.used_at),
    version: row.version,
  };
}
