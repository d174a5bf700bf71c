import { Injectable } from '@nestjs/common';
import type { Selectable } from 'kysely';
import { DerivedSecrets } from '../auth/derived-secrets.js';
import { seal, unseal } from '../auth/sealed-text.js';
import { type Beside, type ChangeOptions, Database } from '../database/database.js';
import { hasVersion } from '../database/pages.js';
import type { StoredProviderTable } from '../database/stored-provider-table.js';
import { unlessTaken } from '../database/store-error.js';

/** What an entry of the configuration's `providers` says, as it was given: secrets in clear, and no defaults. */
export type ProviderSettings = Readonly<Record<string, unknown>>;

/** A provider that operators have added beside those of the file. Times are milliseconds since 1970. */
export interface StoredProvider {
  readonly id: string;
  /** Undefined where they cannot be decrypted: the pepper is another one. */
  readonly settings: ProviderSettings | undefined;
  readonly createdAt: number;
  readonly disabledAt?: number | undefined;
  /** Why it is switched off. */
  readonly message?: string | undefined;
  /** Grows with each change. */
  readonly version: bigint;
}

const MAX_STORED_PROVIDERS = 200;

type Change = Partial<Pick<StoredProvider, 'settings' | 'disabledAt' | 'message'>>;

/**
 * Keeps the providers that operators add, encrypted. Changes are in force at every gateway within a second. What may be
 * in the settings is not its business.
 */
@Injectable()
export class StoredProviderStore {
  readonly #key: Buffer;

  constructor(
    private readonly database: Database,
    secrets: DerivedSecrets,
  ) {
    this.#key = secrets.derive('stored provider');
  }

  /** @throws TakenError where there is one of this id, RangeError where there are too many */
  async create(id: string, settings: ProviderSettings, beside?: Beside): Promise<StoredProvider> {
    const values = { id, settings: this.#sealed(id, settings), created_at: this.database.now() };
    return unlessTaken(`there already is a provider '${id}'`, async () => {
      const row = await this.database.change('stored_provider', async (trx, version) => {
        // Nobody else makes one meanwhile: the transaction has locked the counter.
        const { count } = await trx
          .selectFrom('stored_provider')
          .select(({ fn }) => fn.countAll<bigint>().as('count'))
          .executeTakeFirstOrThrow();
        if (count >= MAX_STORED_PROVIDERS) throw new RangeError(`there are ${MAX_STORED_PROVIDERS} providers in the store already`);
        const made = await trx
          .insertInto('stored_provider')
          .values({ ...values, version })
          .returningAll()
          .executeTakeFirstOrThrow();
        await beside?.(trx, id);
        return made;
      });
      return this.#toProvider(row);
    });
  }

  /** In the order of their ids. */
  async list(): Promise<StoredProvider[]> {
    const rows = await this.database.db.selectFrom('stored_provider').selectAll().execute();
    return rows.map((row) => this.#toProvider(row)).sort((one, other) => (one.id < other.id ? -1 : 1));
  }

  async find(id: string): Promise<StoredProvider | undefined> {
    const row = await this.database.db.selectFrom('stored_provider').selectAll().where('id', '=', id).executeTakeFirst();
    return row && this.#toProvider(row);
  }

  /**
   * Changes what is given; settings are replaced as a whole, and what is named and undefined is taken away.
   * @returns undefined when there is no such provider, or not in this version
   */
  async change(id: string, change: Change, { ifVersion, beside }: ChangeOptions = {}): Promise<StoredProvider | undefined> {
    const set = {
      ...(change.settings && { settings: this.#sealed(id, change.settings) }),
      ...('disabledAt' in change && { disabled_at: change.disabledAt ?? null }),
      ...('message' in change && { message: change.message ?? null }),
    };
    const row = await this.database.change('stored_provider', async (trx, version) => {
      const changed = await trx
        .updateTable('stored_provider')
        .set({ ...set, version })
        .where('id', '=', id)
        .where(hasVersion(ifVersion))
        .returningAll()
        .executeTakeFirst();
      if (changed) await beside?.(trx, id);
      return changed;
    });
    return row && this.#toProvider(row);
  }

  /**
   * Removes a provider. Its id is free again, also for what a client has chosen it for before.
   * @returns what it was; undefined when there is no such provider, or not in this version
   */
  async remove(id: string, { ifVersion, beside }: ChangeOptions = {}): Promise<StoredProvider | undefined> {
    const row = await this.database.change('stored_provider', async (trx) => {
      const removal = trx.deleteFrom('stored_provider').where('id', '=', id).where(hasVersion(ifVersion));
      const removed = await removal.returningAll().executeTakeFirst();
      if (!removed) return undefined;
      await trx.deleteFrom('creation').where('id', '=', `provider/${id}`).execute();
      await beside?.(trx, id);
      return removed;
    });
    return row && this.#toProvider(row);
  }

  #sealed(id: string, settings: ProviderSettings): Buffer {
    return seal(JSON.stringify(settings), this.#key, id);
  }

  #toProvider(row: Selectable<StoredProviderTable>): StoredProvider {
    return {
      id: row.id,
      settings: this.#opened(row),
      createdAt: Number(row.created_at),
      disabledAt: row.disabled_at === null ? undefined : Number(row.disabled_at),
      message: row.message ?? undefined,
      version: row.version,
    };
  }

  #opened({ id, settings }: Selectable<StoredProviderTable>): ProviderSettings | undefined {
    try {
      return JSON.parse(unseal(settings, this.#key, id)) as ProviderSettings;
    } catch {
      return undefined;
    }
  }
}
