import { type Kysely, sql } from 'kysely';
import { type Migration, Migrator } from 'kysely/migration';
import type { Engine } from './engine.js';
import { firstSchema } from './migrations/0001-first-schema.js';
import { liveCatalogue } from './migrations/0002-live-catalogue.js';
import { requestText } from './migrations/0003-request-text.js';
import { changeCounters } from './migrations/0004-change-counters.js';
import { priceBook } from './migrations/0005-price-book.js';
import { idempotencyKeys } from './migrations/0006-idempotency-keys.js';
import { recall } from './migrations/0007-recall.js';
import { fewerIndexes } from './migrations/0008-fewer-indexes.js';
import { collection } from './migrations/0009-collection.js';
import { priceComponents } from './migrations/0010-price-components.js';
import { claims } from './migrations/0011-claims.js';
import { promptCounts } from './migrations/0012-prompt-counts.js';
import { indexesNoQueryNeeds } from './migrations/0013-indexes-no-query-needs.js';
import { recordsWithUsage } from './migrations/0014-records-with-usage.js';
import { keyRules } from './migrations/0015-key-rules.js';
import { limits } from './migrations/0016-limits.js';
import { budgets } from './migrations/0017-budgets.js';
import { administration } from './migrations/0018-administration.js';
import { webhooks } from './migrations/0019-webhooks.js';
import { storedProviders } from './migrations/0020-stored-providers.js';
import { webhookChanges } from './migrations/0021-webhook-changes.js';
import { people } from './migrations/0022-people.js';
import { performanceHistory } from './migrations/0024-performance-history.js';
import { gateways } from './migrations/0025-gateways.js';
import { keyUse } from './migrations/0026-key-use.js';
import { linksAskedFor } from './migrations/0027-links-asked-for.js';
import { nobodyActs } from './migrations/0028-nobody-acts.js';
import { balanceMails } from './migrations/0029-balance-mails.js';
import { storedResponses } from './migrations/0030-stored-responses.js';
import { rightsInTheLog } from './migrations/0031-rights-in-the-log.js';
import { lookUpsByClientsIds } from './migrations/0032-look-ups-by-clients-ids.js';
import { spaceOfAccounts } from './migrations/0033-space-of-accounts.js';
import { storedSpace } from './migrations/0034-stored-space.js';
import { rulesOfEndedKeys } from './migrations/0035-rules-of-ended-keys.js';
import { pagesOfGateways } from './migrations/0036-pages-of-gateways.js';
import { spaceOfAllAccounts } from './migrations/0037-space-of-all-accounts.js';
import { statusOfAccounts } from './migrations/0038-status-of-accounts.js';
import type { Schema } from './schema.js';
import { StoreError } from './store-error.js';

/** Milliseconds that a starting process may pause within the migration's transaction. */
const PATIENCE_MS = 60_000;

/** Migrations go forward only. Once one is released, neither its name nor its place in the order changes. */
const migrations = (engine: Engine): Record<string, Migration> => ({
  '0001-first-schema': firstSchema(engine),
  '0002-live-catalogue': liveCatalogue(engine),
  '0003-request-text': requestText(engine),
  '0004-change-counters': changeCounters(),
  '0005-price-book': priceBook,
  '0006-idempotency-keys': idempotencyKeys(engine),
  '0007-recall': recall(engine),
  '0008-fewer-indexes': fewerIndexes,
  '0009-collection': collection(engine),
  '0010-price-components': priceComponents,
  '0011-claims': claims(engine),
  '0012-prompt-counts': promptCounts,
  '0013-indexes-no-query-needs': indexesNoQueryNeeds,
  '0014-records-with-usage': recordsWithUsage(engine),
  '0015-key-rules': keyRules(engine),
  '0016-limits': limits(engine),
  '0017-budgets': budgets(engine),
  '0018-administration': administration(engine),
  '0019-webhooks': webhooks(engine),
  '0020-stored-providers': storedProviders(engine),
  '0021-webhook-changes': webhookChanges(engine),
  '0022-people': people(engine),
  '0024-performance-history': performanceHistory(engine),
  '0025-gateways': gateways(engine),
  '0026-key-use': keyUse(engine),
  '0027-links-asked-for': linksAskedFor(engine),
  '0028-nobody-acts': nobodyActs(engine),
  '0029-balance-mails': balanceMails,
  '0030-stored-responses': storedResponses(engine),
  '0031-rights-in-the-log': rightsInTheLog,
  '0032-look-ups-by-clients-ids': lookUpsByClientsIds,
  '0033-space-of-accounts': spaceOfAccounts(engine),
  '0034-stored-space': storedSpace(engine),
  '0035-rules-of-ended-keys': rulesOfEndedKeys,
  '0036-pages-of-gateways': pagesOfGateways,
  '0037-space-of-all-accounts': spaceOfAllAccounts(engine),
  '0038-status-of-accounts': statusOfAccounts,
});

/**
 * Brings the schema up to date, in one transaction under a lock, so that of processes that start together one does it.
 * @param last the migration to end with, for a store as an earlier version has left it
 * @throws StoreError newer_schema, or unusable
 */
export async function migrate(db: Kysely<Schema>, engine: Engine, last?: string): Promise<void> {
  const known = migrations(engine);
  await refuseNewerSchema(db, known);
  const { error } = await patiently(db, engine, (one) => {
    const migrator = new Migrator({ db: one, provider: { getMigrations: async () => known } });
    return last === undefined ? migrator.migrateToLatest() : migrator.migrateTo(last);
  });
  if (error) {
    await refuseNewerSchema(db, known);
    throw new StoreError('unusable', `The store's schema could not be brought up to date: ${(error as Error).message}`, { cause: error });
  }
}

/**
 * Works on one connection whose transaction may pause while the process is busy with its start: it locks no rows that
 * others need.
 */
async function patiently<T>(db: Kysely<Schema>, engine: Engine, work: (one: Kysely<Schema>) => Promise<T>): Promise<T> {
  if (engine !== 'postgres') return work(db);
  return db.connection().execute(async (one) => {
    await sql`set idle_in_transaction_session_timeout = ${sql.lit(PATIENCE_MS)}`.execute(one);
    try {
      return await work(one);
    } finally {
      // A connection that broke has nothing to reset, and its error was reported.
      await sql`reset idle_in_transaction_session_timeout`.execute(one).catch(() => undefined);
    }
  });
}

async function refuseNewerSchema(db: Kysely<Schema>, known: Record<string, Migration>): Promise<void> {
  const tables = await db.introspection.getTables({ withInternalKyselyTables: true });
  if (!tables.some(({ name }) => name === 'kysely_migration')) return;
  const { rows } = await sql<{ name: string }>`select name from kysely_migration order by name`.execute(db);
  const unknown = rows.find(({ name }) => !Object.hasOwn(known, name));
  if (unknown)
    throw new StoreError('newer_schema', `The store was written by a newer version of Switchyard (${unknown.name}): update this one`);
}
