import { createHash, createSecretKey, randomUUIDv7 as uuidv7 } from 'node:crypto';
import fc from 'fast-check';
import { type RawBuilder, sql } from 'kysely';
import * as z from 'zod';
import { ApiKeyHasher } from '../src/auth/api-key-hasher.js';
import { ApiKeyStore } from '../src/auth/api-key-store.js';
import { DerivedSecrets } from '../src/auth/derived-secrets.js';
import { loadPepper } from '../src/auth/pepper.js';
import type { Principal } from '../src/auth/principal.js';
import { ProjectStore } from '../src/auth/project-store.js';
import { IdempotencyStore } from '../src/billing/idempotency-store.js';
import { storeCustomer } from '../src/billing/testing/store-customer.js';
import { AnswerBudget, BodyBudget, ByteClaim } from '../src/common/limits/byte-budget.js';
import { samples } from '../src/common/testing/long-form.js';
import { configSchema } from '../src/config/config.schema.js';
import { ConfigService } from '../src/config/config.service.js';
import type { Database } from '../src/database/database.js';
import { TemporaryStore } from '../src/database/testing/temporary-store.js';
import { OutOfSpace } from '../src/response-store/response-space.js';
import { ResponseStore } from '../src/response-store/response-store.js';
import { RunningResponses } from '../src/response-store/running-responses.js';
import { SealedResponses } from '../src/response-store/sealed-responses.js';

/** What keeps bytes for accounts. */
interface Keeper {
  /** Settings that say how many. */
  readonly settings: readonly string[];
  /** Bytes of one account at most, and of all of them. */
  readonly account: number;
  readonly all: number;
  /** Bytes of the smallest piece that is tried. */
  readonly least: number;
  /** Accounts that leave room for a further one, whatever they do. */
  readonly leaving: number;
  /**
   * Keeps about so many bytes, and no more.
   * @returns what frees them; undefined where they are refused
   */
  readonly keep: (owner: Principal, bytes: number) => Promise<(() => unknown) | undefined>;
  /** Bytes that are kept of an account. */
  readonly held: (owner: Principal) => Promise<number>;
}

/** Settings about the bytes of one request, which is no more than a part of what its account keeps. */
const OF_ONE = ['server.body_limit', 'server.max_buffered'];

const keepers = ['bodies', 'answers under way', 'rules', 'stored responses', 'kept answers'] as const;

describe('what is kept for somebody', () => {
  const store = new TemporaryStore();
  const config = configSchema.parse({
    ...store.settings,
    limits: { rules_per_account: 8_192, rules_total: 12_000 },
  });
  const space = { entries: 1_000, bytes: 8_192, total: 12_000 };
  const owners: Principal[] = [];
  let database: Database;
  let parts: Record<(typeof keepers)[number], Keeper>;

  beforeAll(async () => {
    database = await store.open();
    const settings = new ConfigService(config);
    const keys = new ApiKeyStore(database, new ApiKeyHasher(await loadPepper(config, database)), settings);
    const projects = new ProjectStore(database, settings);
    const sealed = new SealedResponses(new DerivedSecrets(createSecretKey(Buffer.alloc(32))));
    const responses = new ResponseStore(database, sealed, new RunningResponses(database, sealed));
    const answers = new IdempotencyStore(database);
    const bytesOf = async (rows: RawBuilder<unknown>) =>
      Number(
        (await sql<{ sum: bigint | null }>`select sum(bytes) as sum from (select 0 as bytes union all ${rows})`.execute(database.db))
          .rows[0]!.sum,
      );
    parts = {
      bodies: inMemory('server.body_budget', new BodyBudget(1_000_000)),
      'answers under way': inMemory('server.answer_budget', new AnswerBudget(1_000_000)),
      rules: {
        settings: ['limits.rules_per_account', 'limits.rules_total'],
        account: config.limits.rules_per_account,
        all: config.limits.rules_total,
        least: 200,
        leaving: 2,
        async keep({ accountId }, bytes) {
          const rules = { models: { allow: Array.from({ length: Math.floor((bytes - 30) / 103) }, () => 'x'.repeat(100)) } };
          return unlessRefused(RangeError, async () => {
            if (bytes % 4 === 0) {
              const { apiKey } = await keys.create({ accountId, environment: 'live', rules });
              return () => keys.revoke(apiKey.id);
            }
            const { id } = await projects.create({ accountId, name: uuidv7(), rules });
            return () => projects.archive(id);
          });
        },
        held: async ({ accountId }) =>
          (await bytesOf(sql`select octet_length(rules) from api_key where revoked_at is null and account_id = ${accountId}`)) +
          (await bytesOf(sql`select octet_length(rules) from project where archived_at is null and account_id = ${accountId}`)),
      },
      'stored responses': {
        settings: ['store.max_responses_bytes', 'store.max_responses_total'],
        account: space.bytes,
        all: space.total,
        least: 200,
        leaving: 2,
        async keep(owner, bytes) {
          const id = uuidv7();
          const half = bytes / 2 - 28;
          const kept = { id, owner, background: false, input: 'i'.repeat(half) };
          return unlessRefused(OutOfSpace, async () => {
            await responses.add(kept, { status: 'completed', json: 'a'.repeat(half) }, space);
            return () => responses.delete(owner, id);
          });
        },
        held: ({ accountId }) => bytesOf(sql`select bytes from stored_response where account_id = ${accountId}`),
      },
      'kept answers': {
        settings: ['store.max_answers_bytes', 'store.max_answers_total'],
        account: space.bytes,
        all: space.total,
        least: 2,
        leaving: 2,
        async keep(principal, bytes) {
          const digest = createHash('sha256').update(uuidv7()).digest('hex');
          const request = { digest, fingerprint: digest, requestId: uuidv7(), principal, operation: 'chat', model: 'model' } as const;
          await answers.claim(request, 60_000);
          if (!(await answers.keep(request, new Uint8Array(bytes), space))) return undefined;
          return async () => {
            await database.db.updateTable('idempotency_key').set({ created_at: 0n }).where('digest', '=', digest).execute();
            await answers.sweep();
          };
        },
        held: ({ accountId }) => bytesOf(sql`select bytes from idempotency_key where account_id = ${accountId}`),
      },
    };
    for (let n = 0; n < 4; n++) owners.push(await storeCustomer(database, config, 0n));
  });
  afterAll(() => store.remove());

  it('has a row here for each setting in bytes', () => {
    const named = Object.values(parts).flatMap(({ settings }) => settings);
    expect(settingsInBytes().sort()).toEqual([...OF_ONE, ...named].sort());
  });

  it.each(keepers)('%s: never more than its limits, fair, nothing of what is refused, and all of it free again', async (name) => {
    const { account, all, least, leaving, keep, held } = parts[name];
    const heldByEach = () => Promise.all(owners.map((owner) => held(owner)));
    const step = fc.record({
      who: fc.nat(2),
      /** Thousandths of what an account may have; less than none frees a piece. */
      size: fc.oneof({ weight: 5, arbitrary: fc.integer({ min: 1, max: 700 }) }, fc.integer({ min: -20, max: -1 })),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 25 }), async (steps) => {
        const pieces: (() => unknown)[] = [];
        const add = async (who: number, bytes: number) => {
          const before = await heldByEach();
          const release = await keep(owners[who]!, bytes);
          if (release) pieces.push(release);
          const after = await heldByEach();
          expect(after.toSpliced(who, 1)).toEqual(before.toSpliced(who, 1));
          if (!release) expect(after).toEqual(before);
          expect(Math.max(...after)).toBeLessThanOrEqual(account);
          expect(sum(after)).toBeLessThanOrEqual(all);
          return release !== undefined;
        };
        /** An account that has nothing gets eight ninths of what is free. */
        const addNew = async () => {
          const before = await heldByEach();
          const room = even(Math.min(account, ((all - sum(before)) * 8) / 9));
          if (before.filter((bytes) => bytes > 0).length <= leaving) expect(room).toBeGreaterThanOrEqual(least);
          if (room >= least) expect(await add(3, room)).toBe(true);
        };
        for (const { who, size } of steps)
          if (size > 0) await add(who, Math.max(least, even((account * size) / 1_000)));
          else await pieces.splice(-size % Math.max(1, pieces.length), 1)[0]?.();
        await addNew();
        for (const release of pieces.splice(0)) await release();
        expect(await heldByEach()).toEqual(owners.map(() => 0));
        await addNew();
        for (const release of pieces) await release();
      }),
      // Two take all that they get.
      { numRuns: samples(100), examples: [[Array.from({ length: 100 }, (_, n) => ({ who: n % 2, size: 25 }))]] },
    );
  });
});

const sum = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0);
const even = (number: number): number => 2 * Math.floor(number / 2);

function inMemory(setting: string, budget: BodyBudget): Keeper {
  return {
    settings: [setting],
    account: budget.limit / 2,
    all: budget.limit,
    least: 64 * 1024 + 2,
    leaving: 1,
    async keep({ accountId }, bytes) {
      const claim = new ByteClaim(budget, accountId);
      return claim.resize(bytes) ? () => claim.release() : undefined;
    },
    held: async ({ accountId }) => budget.heldBy(accountId),
  };
}

async function unlessRefused<T>(refusal: new (message: string) => Error, work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof refusal) return undefined;
    throw error;
  }
}

/** Numbers of the configuration that are bytes, as their descriptions say. */
function settingsInBytes(): string[] {
  const { properties } = z.toJSONSchema(configSchema, { io: 'input' }) as { properties: Record<string, { properties?: object }> };
  return Object.entries(properties).flatMap(([section, { properties: settings = {} }]) =>
    Object.entries(settings as Record<string, { type?: string; description?: string }>)
      .filter(([, { type, description = '' }]) => type === 'integer' && /\bbytes\b/i.test(description))
      .map(([name]) => `${section}.${name}`),
  );
}
