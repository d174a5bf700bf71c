import { createHash, randomUUIDv7 as uuidv7 } from 'node:crypto';
import type { Principal } from '../auth/principal.js';
import { configSchema } from '../config/config.schema.js';
import type { Database } from '../database/database.js';
import { describeEngines } from '../database/testing/describe-engines.js';
import { CreditStore } from './credit-store.js';
import type { Ending, RequestFacts } from './hold/request-facts.js';
import { IdempotencyStore, type KeyedRequest } from './idempotency-store.js';
import { LeaseStore } from './leases/lease-store.js';
import type { LedgerBatch } from './leases/ledger-batch.js';
import { ONE_NANO } from './testing/ledger-bench.js';
import { storeCustomer } from './testing/store-customer.js';
import { verifyLedger } from './verify-ledger.js';

const NOTHING: LedgerBatch = { begins: [], progress: [], endings: [], returns: [], grants: [], renews: [] };
const HOUR = 3_600_000;
const PLENTY = { bytes: 1_000, total: 1e9 };
const answer = new Uint8Array([1, 2, 3]);

const hexOf = (text: string) => createHash('sha256').update(text).digest('hex');

/** What the gateways of one store leave of a keyed request when they pause, lose their host or die. */
describeEngines('the store of idempotency keys', (open) => {
  const config = configSchema.parse({ keys: { pepper: 'p'.repeat(32) } });
  let database: Database;
  let principal: Principal;
  let keys: IdempotencyStore;
  let digest: string;

  beforeAll(async () => {
    database = await open();
    keys = new IdempotencyStore(database);
  });
  beforeEach(async () => {
    principal = await storeCustomer(database, config, 100n);
    digest = hexOf(uuidv7());
  });
  afterEach(async () => {
    expect((await verifyLedger(database)).findings).toEqual([]);
  });

  const keyed = (): KeyedRequest => ({
    digest,
    fingerprint: hexOf('body'),
    requestId: uuidv7(),
    principal,
    operation: 'chat',
    model: 'model',
  });
  const claim = async (request: KeyedRequest, lostAfter = HOUR) => (await keys.claim(request, lostAfter)).kind;
  const posted = async () => (await new CreditStore(database).balances(principal.accountId))[0]!.posted;

  /** A request that holds 20 nano-credits of a lease. */
  async function begin({ requestId }: KeyedRequest, ttl = HOUR): Promise<{ node: LeaseStore; facts: RequestFacts }> {
    const [node, leaseId] = [new LeaseStore(database, uuidv7(), ttl), uuidv7()];
    await node.sync({
      ...NOTHING,
      grants: [{ leaseId, account: principal, opens: true, demand: () => ({ need: 20n, short: false, recalls: false }) }],
    });
    const facts: RequestFacts = {
      requestId,
      principal,
      operation: 'chat',
      model: 'model',
      price: ONE_NANO,
      leaseId,
      hold: 20n,
      startedAt: 1,
    };
    await node.sync({ ...NOTHING, begins: [facts] });
    return { node, facts };
  }
  const ending = (request: RequestFacts, tokens: number, outcome: Ending['outcome'] = 'completed'): Ending => ({
    request,
    charge: { promptTokens: 0, completionTokens: tokens, price: ONE_NANO, amount: BigInt(tokens), excess: 0n },
    outcome,
    estimated: false,
    provider: 'provider',
    endedAt: 2,
  });
  const end = (node: LeaseStore, facts: RequestFacts, tokens: number, outcome?: Ending['outcome']) =>
    node.sync({ ...NOTHING, endings: [ending(facts, tokens, outcome)] });
  const reap = () => new LeaseStore(database, uuidv7(), HOUR).reapExpired();

  it('gives a key to one of many that want it at the same time', async () => {
    const claims = await Promise.all(Array.from({ length: 12 }, () => claim(keyed())));
    expect(claims.filter((kind) => kind === 'claimed')).toHaveLength(1);
    expect(claims.filter((kind) => kind === 'running')).toHaveLength(11);
  });

  it('repeats what is kept, and nothing to another body', async () => {
    const request = keyed();
    await claim(request);
    await keys.keep(request, answer, PLENTY);
    const found = await keys.claim(keyed(), HOUR);
    expect(found.kind === 'answered' && [...found.answer]).toEqual([1, 2, 3]);
    expect(await claim({ ...keyed(), fingerprint: hexOf('other') })).toBe('other_request');
    await keys.giveBack(request);
    expect(await claim(keyed())).toBe('answered');
  });

  it("lets go of the account's oldest answers for a new one, and neither of their keys nor of others' answers", async () => {
    const other = await storeCustomer(database, config, 0n);
    const requestOf = (whose: Principal) => ({ ...keyed(), principal: whose, digest: hexOf(uuidv7()) });
    const requests = [requestOf(other), ...Array.from({ length: 4 }, () => requestOf(principal))];
    for (const [at, request] of requests.entries()) {
      await claim(request);
      const created_at = BigInt(Date.now() - 10_000 + at);
      await database.db.updateTable('idempotency_key').set({ created_at }).where('digest', '=', request.digest).execute();
      await keys.keep(request, answer, { ...PLENTY, bytes: 2 * answer.length + 1 });
    }
    const kinds: string[] = [];
    for (const request of requests) kinds.push(await claim({ ...request, requestId: uuidv7() }));
    expect(kinds).toEqual(['answered', 'running', 'running', 'answered', 'answered']);
    const space = database.db.selectFrom('stored_space').select(['entries', 'bytes']).where('account_id', '=', principal.accountId);
    expect(await space.execute()).toEqual([{ entries: 2n, bytes: BigInt(2 * answer.length) }]);
    await database.db.updateTable('idempotency_key').set({ created_at: 0n }).execute();
    await keys.sweep();
    expect(await space.execute()).toEqual([{ entries: 0n, bytes: 0n }]);
  });

  it('keeps a key for its request while that is in flight, however long', async () => {
    const request = keyed();
    await claim(request);
    await begin(request);
    expect(await claim(keyed(), 0)).toBe('running');
  });

  it('keeps a key for a request whose gateway died when it had been charged but not kept', async () => {
    const request = keyed();
    await claim(request);
    const { node, facts } = await begin(request);
    await end(node, facts, 8);
    expect(await claim(keyed(), 0)).toBe('ended');
    expect(await posted()).toBe(92n);
  });

  it('keeps a key for a request that was free and complete', async () => {
    const request = keyed();
    await claim(request);
    const { node, facts } = await begin(request);
    await end(node, { ...facts, price: { prompt: 0n, completion: 0n } }, 0);
    expect(await claim(keyed(), 0)).toBe('ended');
  });

  it('keeps a key for a crashed request that had delivered something', async () => {
    const request = keyed();
    await claim(request);
    const { node, facts } = await begin(request, -1);
    await node.sync({ ...NOTHING, progress: [{ requestId: facts.requestId, price: ONE_NANO, promptTokens: 0, completionTokens: 3 }] });
    await reap();
    expect(await claim(keyed(), 0)).toBe('ended');
    expect(await posted()).toBe(97n);
  });

  it('passes on the key of a request that failed, even if its gateway did not come to say so', async () => {
    const request = keyed();
    await claim(request);
    const { node, facts } = await begin(request);
    await end(node, facts, 0, 'provider_failed');
    expect(await claim(keyed())).toBe('claimed');
  });

  it('charges nothing for a request whose key was passed on, when its gateway wakes up after all', async () => {
    const [paused, repeat] = [keyed(), keyed()];
    await claim(paused);
    const { node, facts } = await begin(paused, -1);
    expect(await claim(repeat, 0)).toBe('running');
    await reap();
    const claims = await Promise.all([claim(repeat), claim(keyed()), claim(keyed())]);
    expect(claims.sort()).toEqual(['claimed', 'running', 'running']);
    await end(node, facts, 8);
    expect(await posted()).toBe(100n);
    await keys.keep(paused, answer, PLENTY);
    await keys.giveBack(paused);
    expect(await claim(keyed())).toBe('running');
  });

  it('charges what was answered when the gateway wakes up before the key was passed on', async () => {
    const paused = keyed();
    await claim(paused);
    const { node, facts } = await begin(paused, -1);
    await reap();
    await end(node, facts, 8);
    expect(await claim(keyed())).toBe('ended');
    expect(await posted()).toBe(92n);
  });

  it('passes on the key of a request that left no trace, after a time, and charges it nothing from then on', async () => {
    const lost = keyed();
    await claim(lost);
    expect(await claim(keyed())).toBe('running');
    const repeat = keyed();
    expect(await claim(repeat, 0)).toBe('claimed');
    const { node, facts } = await begin(lost);
    await end(node, facts, 8);
    expect(await posted()).toBe(100n);
    const second = await begin(repeat);
    await end(second.node, second.facts, 5);
    expect(await posted()).toBe(95n);
  });

  it('gives all such keys back at once when it starts alone on the embedded store', async () => {
    const [lost, failed, done] = [keyed(), { ...keyed(), digest: hexOf(uuidv7()) }, { ...keyed(), digest: hexOf(uuidv7()) }];
    for (const request of [lost, failed, done]) await claim(request);
    const [first, second] = [await begin(failed), await begin(done)];
    await end(first.node, first.facts, 0, 'shutdown');
    await end(second.node, second.facts, 8);
    await keys.recover();
    const again = (request: KeyedRequest) => claim({ ...request, requestId: uuidv7() });
    const alone = database.engine === 'sqlite';
    expect([await again(lost), await again(failed), await again(done)]).toEqual([alone ? 'claimed' : 'running', 'claimed', 'ended']);
  });
});
