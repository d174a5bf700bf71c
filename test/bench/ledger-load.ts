/**
 * Its own process: the ledger alone, without a request around it. Arguments: the program's modules as built, an engine.
 * Prints one line of JSON.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import type { Database } from '../../src/database/database.ts';
import type { LeaseLedger } from '../../src/billing/leases/lease-ledger.ts';
import type { Principal } from '../../src/auth/principal.ts';

export interface LedgerCosts {
  /** Microseconds of hold and settle on the thread that serves. */
  readonly inMemory: number;
  /** Microseconds of CPU, with journal and flush, all threads. */
  readonly all: number;
  /** Requests a second on one account: out of a lease, and with a transaction of its own for each. */
  readonly leased: number;
  readonly rows: number;
}

const [built = '', engine = ''] = process.argv.slice(2);
const REQUESTS = 20_000;
/** Requests that are open at the same time. */
const OPEN = 64;
/** A row update for each is slower: fewer of them. */
const ROW_REQUESTS = 2_000;
const PRICE = { prompt: 500_000n, completion: 1_500_000n };
const USAGE = { prompt_tokens: 200, completion_tokens: 150, total_tokens: 350 };
const CHARGE = 325_000n;

const load = <T>(path: string) => import(pathToFileURL(join(built, path)).href) as Promise<T>;
const { openDatabase } = await load<typeof import('../../src/database/open-database.ts')>('database/open-database.js');
const { configSchema } = await load<typeof import('../../src/config/config.schema.ts')>('config/config.schema.js');
const { ConfigService } = await load<typeof import('../../src/config/config.service.ts')>('config/config.service.js');
const { AccountStore } = await load<typeof import('../../src/auth/account-store.ts')>('auth/account-store.js');
const { CreditStore } = await load<typeof import('../../src/billing/credit-store.ts')>('billing/credit-store.js');
const ledgers = await load<typeof import('../../src/billing/leases/lease-ledger.ts')>('billing/leases/lease-ledger.js');
const { LedgerFigures } = await load<typeof import('../../src/billing/leases/ledger-figures.ts')>('billing/leases/ledger-figures.js');
const { TemporaryPostgres } = await load<typeof import('../../src/database/testing/temporary-postgres.ts')>(
  'database/testing/temporary-postgres.js',
);

let made = 0;
const nextId = (): string => `00000000-0000-7000-8000-${String(made++).padStart(12, '0')}`;

/** One hot account with a key and more credits than all of this costs. */
async function customer(database: Database): Promise<Principal> {
  const { id: accountId } = await new AccountStore(database).create('hot');
  const keyId = 'key_hot';
  const row = { id: keyId, account_id: accountId, environment: 'live' as const, digest: '0'.repeat(64), pepper_version: 1, label: '' };
  await database.db
    .insertInto('api_key')
    .values({ ...row, display: 'hot', created_at: 1, version: 1 })
    .execute();
  await new CreditStore(database).grant({ accountId, environment: 'live', amount: 10n ** 18n });
  return { accountId, environment: 'live', keyId };
}

async function open(count: number, one: () => Promise<void>): Promise<number> {
  const began = performance.now();
  let left = count;
  const loop = async (): Promise<void> => {
    while (left-- > 0) await one();
  };
  await Promise.all(Array.from({ length: OPEN }, loop));
  return performance.now() - began;
}

async function leased(ledger: LeaseLedger, principal: Principal, count: number): Promise<{ rate: number; cpu: number; inMemory: number }> {
  let inMemory = 0;
  const cpu = process.cpuUsage();
  const request = () => ({
    requestId: nextId(),
    principal,
    operation: 'chat' as const,
    model: 'm',
    price: PRICE,
    promptTokens: 400,
    choices: 1,
    maxTokens: 1_000,
    maxTokensMayShrink: false,
  });
  const began = performance.now();
  await open(count, async () => {
    const asked = request();
    const start = performance.now();
    const answer = ledger.hold(asked);
    const held = performance.now();
    // The first of an account waits for the store.
    const hold = answer instanceof Promise ? await answer : answer;
    await turn();
    const settling = performance.now();
    hold.settle({ outcome: 'completed', usage: USAGE, estimated: false, provider: 'p' });
    inMemory += performance.now() - settling + held - start;
  });
  while (ledger.unwritten > 0) await new Promise((resolve) => setTimeout(resolve, 1));
  const { user, system } = process.cpuUsage(cpu);
  return { rate: (count * 1000) / (performance.now() - began), cpu: (user + system) / count, inMemory: (inMemory * 1000) / count };
}

/**
 * What gateways do that have the balance in a row alone: one transaction a request, after its end. A hold would be a
 * second one.
 */
async function rows(database: Database, { accountId, environment, keyId }: Principal, count: number): Promise<number> {
  const ms = await open(count, () =>
    database.transaction(async (trx) => {
      await trx
        .updateTable('balance')
        .set((update) => ({ posted: update('posted', '-', CHARGE) }))
        .where('account_id', '=', accountId)
        .where('environment', '=', environment)
        .where('posted', '>=', CHARGE)
        .execute();
      const what = {
        request_id: nextId(),
        account_id: accountId,
        environment,
        key_id: keyId,
        operation: 'chat',
        model: 'm',
        outcome: 'completed',
      };
      const cost = { price_prompt: PRICE.prompt, price_completion: PRICE.completion, prompt_tokens: 200, completion_tokens: 150 };
      await trx
        .insertInto('usage')
        .values({ ...what, ...cost, hold: CHARGE, amount: CHARGE, uncollected: 0, estimated: 0, created_at: Date.now() })
        .execute();
    }),
  );
  return (count * 1000) / ms;
}

const folder = mkdtempSync(join(tmpdir(), 'switchyard-bench-ledger-'));
const postgres = engine === 'postgres' ? await TemporaryPostgres.start() : undefined;
try {
  const config = configSchema.parse({ store: { data_dir: join(folder, 'data'), database_url: postgres?.url } });
  const database = await openDatabase(config.store);
  const principal = await customer(database);
  const ledger = new ledgers.LeaseLedger(database, new ConfigService(config), { deliver: () => undefined }, new LedgerFigures());
  await ledger.onModuleInit();
  await leased(ledger, principal, 2_000);
  await rows(database, principal, 200);
  const perRow = await rows(database, principal, ROW_REQUESTS);
  const { rate, cpu, inMemory } = await leased(ledger, principal, REQUESTS);
  const costs: LedgerCosts = { inMemory, all: cpu, leased: rate, rows: perRow };
  await ledger.onApplicationShutdown();
  await database.close();
  process.stdout.write(`${JSON.stringify(costs)}\n`);
} finally {
  await postgres?.stop();
  rmSync(folder, { recursive: true, force: true });
}
