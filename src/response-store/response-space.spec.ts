import { createSecretKey, randomUUIDv7 as uuidv7 } from 'node:crypto';
import fc from 'fast-check';
import { DerivedSecrets } from '../auth/derived-secrets.js';
import type { Principal } from '../auth/principal.js';
import { storeCustomer } from '../billing/testing/store-customer.js';
import { countTurns } from '../common/testing/count-turns.js';
import { configSchema } from '../config/config.schema.js';
import type { Database } from '../database/database.js';
import { describeEngines } from '../database/testing/describe-engines.js';
import { OutOfSpace } from './response-space.js';
import { ResponseStore } from './response-store.js';
import { RunningResponses } from './running-responses.js';
import { SealedResponses } from './sealed-responses.js';
import type { KeptRequest, WrittenResponse } from './stored-response.js';

const SPACE = { entries: 5, bytes: 4_000, total: 1e9 };
/** Bytes of the encryption of input and output. */
const SEALS = 2 * 28;

/** Tells when a response has been decrypted. */
class WatchedResponses extends SealedResponses {
  onResponse: (() => void) | undefined;

  override response(...given: Parameters<SealedResponses['response']>) {
    this.onResponse?.();
    return super.response(...given);
  }
}

describeEngines('the space of stored responses', (open) => {
  const config = configSchema.parse({ keys: { pepper: 'p'.repeat(32) } });
  let database: Database;
  let store: ResponseStore;
  let running: RunningResponses;
  let sealed: WatchedResponses;
  let bystander: Principal;

  const request = (owner: Principal, bytes = 2): KeptRequest => ({ id: uuidv7(), owner, background: false, input: 'i'.repeat(bytes) });
  const response = (status: WrittenResponse['status'], bytes = 2): WrittenResponse => ({ status, json: 'a'.repeat(bytes) });
  const rowsOf = ({ accountId }: Principal) =>
    database.db
      .selectFrom('stored_response')
      .select(['id', 'bytes', 'node_id'])
      .where('account_id', '=', accountId)
      .orderBy('id')
      .execute();
  const spaceOf = async ({ accountId }: Principal) =>
    (await database.db.selectFrom('stored_space').select(['entries', 'bytes']).where('account_id', '=', accountId).executeTakeFirst()) ?? {
      entries: 0n,
      bytes: 0n,
    };
  /** Whether there was room. */
  const stored = (write: Promise<void>): Promise<boolean> =>
    write.then(
      () => true,
      (error: unknown) => {
        if (error instanceof OutOfSpace) return false;
        throw error;
      },
    );
  const add = (kept: KeptRequest, bytes = 2) => stored(store.add(kept, response('completed', bytes), SPACE));
  const begin = (kept: KeptRequest) =>
    stored(running.begin(kept, response('queued'), { node: 'node', ttl: 60_000, places: 50, space: SPACE }));

  beforeAll(async () => {
    database = await open();
    sealed = new WatchedResponses(new DerivedSecrets(createSecretKey(Buffer.alloc(32))));
    running = new RunningResponses(database, sealed);
    store = new ResponseStore(database, sealed, running);
    bystander = await storeCustomer(database, config, 0n);
    await add(request(bystander));
  });

  it('is counted as it is written, and made by the oldest of the account that have ended', async () => {
    const size = fc.integer({ min: 2, max: 1_200 });
    const step = fc.oneof(
      fc.record({ what: fc.constant('add' as const), size }),
      fc.record({ what: fc.constant('begin' as const), size }),
      fc.record({ what: fc.constant('end' as const), size, which: fc.nat() }),
      fc.record({ what: fc.constant('delete' as const), which: fc.nat() }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
        const owner = await storeCustomer(database, config, 0n);
        const runs: KeptRequest[] = [];
        for (const one of steps) {
          const before = await rowsOf(owner);
          let kept: boolean | undefined;
          if (one.what === 'add') kept = await add(request(owner, one.size), one.size);
          else if (one.what === 'begin') {
            const begun = request(owner, one.size);
            kept = await begin(begun);
            if (kept) runs.push(begun);
          } else if (one.what === 'end') {
            const [run] = runs.splice(one.which % Math.max(1, runs.length), 1);
            if (run) await running.end(run, 'node', response('completed', one.size), response('failed'), SPACE);
          } else if (before.length > 0) {
            const { id } = before[one.which % before.length]!;
            await store.delete(owner, id);
            runs.splice(0, Infinity, ...runs.filter((run) => run.id !== id));
          }
          const rows = await rowsOf(owner);
          const bytes = rows.reduce((sum, row) => sum + row.bytes, 0n);
          expect(await spaceOf(owner)).toEqual({ entries: BigInt(rows.length), bytes });
          for (const run of runs) expect(rows.map(({ id }) => id)).toContain(run.id);
          if (kept === false) expect(rows).toEqual(before);
          expect(rows.length <= SPACE.entries && bytes <= SPACE.bytes).toBe(true);
          // What has made room is older than what has stayed.
          const ended = before.filter(({ node_id }) => node_id === null).map(({ id }) => id);
          const gone = ended.filter((id) => !rows.some((row) => row.id === id));
          if (one.what !== 'delete') expect(gone).toEqual(ended.slice(0, gone.length));
        }
      }),
      {
        examples: [
          // The end of one finds no room beside two that run.
          [
            [
              { what: 'begin', size: 1_200 },
              { what: 'begin', size: 1_200 },
              { what: 'begin', size: 1_200 },
              { what: 'end', size: 1_200, which: 0 },
            ],
          ],
          // The last finds no room, though one that has ended could go.
          [
            [
              { what: 'begin', size: 943 },
              { what: 'add', size: 2 },
              { what: 'begin', size: 840 },
              { what: 'add', size: 1_023 },
            ],
          ],
        ],
      },
    );
    expect(await spaceOf(bystander)).toEqual({ entries: 1n, bytes: BigInt(4 + SEALS) });
  });

  it('is read in several turns where one has not the status any more that it was written with', async () => {
    const owner = await storeCustomer(database, config, 0n);
    const kept = { ...request(owner), background: true };
    const json = JSON.stringify({ status: 'queued', instructions: 'x'.repeat(3_000_000) });
    await running.begin(kept, { status: 'queued', json }, { node: 'node', ttl: 60_000, places: 50, space: { ...SPACE, bytes: 8_000_000 } });
    await running.cancel(owner, kept.id);
    let turns = () => 0;
    sealed.onResponse = () => (turns = countTurns());
    const found = await store.find(owner, kept.id);
    sealed.onResponse = undefined;
    expect(turns()).toBeGreaterThanOrEqual(3);
    expect(found?.response.parsed()).toEqual({ ...JSON.parse(json), status: 'cancelled', error: null });
  });

  it('is not there for the output of one that was cancelled, which stays so', async () => {
    const owner = await storeCustomer(database, config, 0n);
    const kept = { ...request(owner), background: true };
    await begin(kept);
    await running.cancel(owner, kept.id);
    await running.end(kept, 'node', response('completed', 9_000), { status: 'failed', json: '{"output":[]}' }, SPACE);
    expect((await store.find(owner, kept.id))?.response.parsed()).toEqual({ status: 'cancelled', error: null, output: [] });
  });

  it('is filled, not emptied, by many that are stored at the same time', async () => {
    const owner = await storeCustomer(database, config, 0n);
    await Promise.all(Array.from({ length: 20 }, () => add(request(owner))));
    expect(await rowsOf(owner)).toHaveLength(SPACE.entries);
  });

  it('stays where all accounts have more than they may: what is new takes the place of as much', async () => {
    const owner = await storeCustomer(database, config, 0n);
    const requests = [1, 2, 3, 4].map(() => request(owner, 500)).sort((one, other) => (one.id < other.id ? -1 : 1));
    for (const one of requests.slice(0, 3)) await add(one, 500);
    await store.add(requests[3]!, response('completed', 500), { ...SPACE, total: 1 });
    expect((await rowsOf(owner)).map(({ id }) => id)).toEqual(requests.slice(1).map(({ id }) => id));
  });

  it('is none for what runs beside as many as may run', async () => {
    const owner = await storeCustomer(database, config, 0n);
    for (let run = 0; run < SPACE.entries; run++) expect(await begin(request(owner))).toBe(true);
    expect(await begin(request(owner))).toBe(false);
    expect(await add(request(owner))).toBe(false);
    expect(await rowsOf(owner)).toHaveLength(SPACE.entries);
  });
});
