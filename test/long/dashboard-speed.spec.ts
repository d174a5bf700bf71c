import { allowance, crowding } from '../support/machine.js';
import { Database } from '../../src/database/database.js';
import { Administration } from '../support/administration.js';
import type { Customer } from '../support/customer.js';
import { describeGateways } from '../support/describe-gateways.js';
import type { Gateway } from '../support/gateway.js';
import { longForm } from '../support/long-form.js';
import { seedRequests } from '../support/seed-requests.js';

const DAY = 86_400_000;
const REQUESTS = longForm ? 100_000 : 20_000;
/** Of which all but the slowest must be within the bound: of twenty, 95 % are. Otherwise one of so many must be, by the machine's cores as crowded as they are. */
const ROUNDS = longForm ? 20 : 10;

/** Milliseconds that a page may take on two free cores. The slowest, a month by hour and model, took 265. */
const BOUND = 300;

describeGateways(`${REQUESTS} requests of one account in a month`, (start) => {
  let gateway: Gateway;
  let customer: Customer;
  /** What stands in the paths below for ids that are not known before. */
  const ids: Record<string, string> = {};
  let operator: Administration;
  const now = Date.now();
  const from = new Date(now - 30 * DAY).toISOString();
  const month = new Date(now - 5 * DAY).toISOString().slice(0, 7);

  beforeAll(async () => {
    gateway = await start();
    operator = await Administration.as(gateway.running, 'operator');
    customer = await gateway.newCustomer();
    const keys = [];
    const account = `accounts/${customer.accountId}`;
    const project = ((await operator.post(`${account}/projects`, { name: 'One key' })).body as { id: string }).id;
    for (let nth = 0; nth < 12; nth++) {
      const { body } = await operator.post(`${account}/keys`, {
        environment: 'live',
        ...(nth === 0 && { project_id: project }),
      });
      keys.push((body as { id: string }).id);
    }
    const models = Array.from({ length: 12 }, (_, nth) => `model-${nth}`);
    const seed = { accountId: customer.accountId, keys, models, count: REQUESTS, from: now - 30 * DAY, to: now - 1_000 };
    await seedRequests(gateway.running.app.get(Database), seed);
    // With few requests.
    const small = await gateway.newCustomer();
    const { body } = await operator.post(`accounts/${small.accountId}/keys`, { environment: 'live' });
    const few = { accountId: small.accountId, keys: [(body as { id: string }).id], count: 10, from: now - 30 * DAY, to: now - 29 * DAY };
    await seedRequests(gateway.running.app.get(Database), { ...seed, ...few });
    const { body: page } = await operator.get(`${account}/requests?limit=1&to=${new Date(now - 28 * DAY).toISOString()}`).expect(200);
    const early = (page as { data: [{ request_id: string }] }).data[0].request_id;
    Object.assign(ids, { SMALL: small.accountId, PROJECT: project, KEY: keys[0], EARLY: early, BEGINNING: early.slice(0, 8) });
  }, 240_000);
  afterAll(() => gateway.close());

  const pages = {
    'usage by the hour, of a month': `usage/series?interval=hour&from=${from}`,
    'usage by the hour and model, of a month': `usage/series?interval=hour&by=model&from=${from}`,
    'usage by the day and key': 'usage/series?interval=day&by=key',
    'usage by the day and project': 'usage/series?interval=day&by=project',
    'usage of a day': 'usage/series?interval=hour&by=model',
    'the balance of a day': 'credits/series?interval=hour',
    'the balance by the hour, of a month': `credits/series?interval=hour&from=${from}`,
    requests: 'requests',
    'requests of a small account': '../SMALL/requests',
    'requests of a model': 'requests?model=model-7&limit=200',
    'requests that failed': 'requests?failed=true&limit=200',
    'requests with a status that none has': 'requests?status=418',
    'requests with a status that some have': 'requests?status=429&environment=live',
    'requests of a project': 'requests?project=PROJECT&environment=live',
    'requests of a project that have failed': 'requests?project=PROJECT&failed=true&limit=200',
    'requests of a project without any': 'requests?project=none',
    'requests from a time on': `requests?from=${from}&to=${new Date(now - 15 * DAY).toISOString()}`,
    'what has ended since': `requests?since=${new Date(now - 20_000).toISOString()}`,
    'the ledger': 'credits/ledger?limit=200',
    'a statement': `credits/statement?month=${month}`,
    models: 'models?limit=200',
    'all errors': '../../errors',
    'a request': 'requests/EARLY',
    'a request, for operators': '../../requests/EARLY',
    'requests by the beginning of their id': 'requests?id=BEGINNING',
    'requests of a key': 'requests?key=KEY&limit=200',
    'a late page of requests': 'requests?limit=200&after=EARLY',
    'all requests, for operators': '../../requests?limit=200',
    keys: 'keys?limit=200',
    'a model': 'models/sandbox-chat',
    balances: 'credits',
    transfers: 'credits/transfers?limit=200',
    'the audit log': 'audit-log?limit=200',
    'the audit log of all': '../../audit-log?limit=200',
    members: 'members?limit=200',
    'models, for operators': '../../models?limit=200',
    offers: '../../offers?limit=200',
    providers: '../../providers?limit=200',
    accounts: '../../accounts?limit=200',
    gateways: '../../gateways?limit=200',
  };

  /** As a page does, and without comparing the answer with its description. */
  const ask = (path: string): Promise<Response> =>
    fetch(
      new URL(
        path.replace(/[A-Z]{3,}/g, (name) => ids[name]!),
        `${gateway.url}/admin/v1/accounts/${customer.accountId}/`,
      ),
      {
        headers: { authorization: `Bearer ${operator.token}` },
      },
    );

  it.each(Object.entries(pages))(
    'are no burden for %s',
    async (_, path) => {
      const bound = BOUND * allowance().time;
      const times: number[] = [];
      for (let round = 0; round < ROUNDS; round++) {
        const begin = performance.now();
        const answer = await ask(path);
        await answer.arrayBuffer();
        expect(answer.status).toBe(200);
        const time = performance.now() - begin;
        times.push(longForm || time < bound ? time : time / crowding());
        if (!longForm && times[round]! < bound) break;
      }
      expect(times.toSorted((one, other) => one - other).at(longForm ? -2 : 0)).toBeLessThan(bound);
    },
    60_000,
  );

  it('are a file within seconds, in which none is missing', async () => {
    const file = await ask('requests.jsonl');
    let lines = 0;
    for await (const part of file.body!) for (const byte of part as Uint8Array) if (byte === 10) lines++;
    expect(lines).toBe(REQUESTS);
  }, 60_000);
});
