import { Database } from '../src/database/database.js';
import type { Customer } from './support/customer.js';
import { describeGateways } from './support/describe-gateways.js';
import { expectEnvelope } from './support/expect-envelope.js';
import { seedRequests } from './support/seed-requests.js';
import { useGateway, useOperator } from './support/started.js';
import { until } from './support/until.js';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

interface Point {
  readonly time: string;
  readonly group: string | null;
  readonly requests: number;
  readonly errors: number;
  readonly prompt_tokens: number;
  readonly cost: string;
  readonly saved_by_caching: string;
  readonly first_token_ms: { readonly p50: number; readonly p95: number } | null;
}

describeGateways('Usage over time', (start) => {
  /** Nobody's requests but those that were seeded. */
  let seeded: Customer;
  let project: string;
  /** A whole day; the requests of the seed begin there. */
  const begin = Math.floor(Date.now() / DAY) * DAY - 3 * DAY;

  const gateway = useGateway(() => start());
  const operator = useOperator(gateway);
  beforeAll(async () => {
    seeded = await gateway.newCustomer();
    const account = `accounts/${seeded.accountId}`;
    project = ((await operator.post(`${account}/projects`, { name: 'Search' })).body as { id: string }).id;
    const newKey = async (more: object) =>
      ((await operator.post(`${account}/keys`, { environment: 'live', ...more })).body as { id: string }).id;
    const keys = [await newKey({}), await newKey({ project_id: project })];
    const models = ['one', 'two', 'three', 'four'];
    const to = begin + 10 * HOUR;
    await seedRequests(gateway.running.app.get(Database), { accountId: seeded.accountId, keys, models, count: 1_000, from: begin, to });
  });

  const range = `from=${new Date(begin).toISOString()}&to=${new Date(begin + 11 * HOUR).toISOString()}`;
  const series = async (query: string, who = operator, account = seeded.accountId): Promise<Point[]> => {
    const { status, body } = await who.get(`accounts/${account}/usage/series?${query}`);
    expect([status, body]).toEqual([200, body]);
    return (body as { data: Point[] }).data;
  };
  const sum = (points: readonly Point[], of: (point: Point) => number): number => points.reduce((all, point) => all + of(point), 0);

  it('counts requests, errors, tokens and cost by the hour', async () => {
    const points = await series(range);
    expect(points[0]!.time).toBe(new Date(begin).toISOString());
    expect(points.every(({ time }) => Date.parse(time) % HOUR === 0)).toBe(true);
    // Of 1,000 requests 25 were refused, and 20 failed.
    expect([points.length, sum(points, ({ requests }) => requests), sum(points, ({ errors }) => errors)]).toEqual([10, 1_000, 45]);
    const { body } = await operator.get(`accounts/${seeded.accountId}/usage?by=account`);
    const [usage] = (body as { data: { credits: string; prompt_tokens: number }[] }).data;
    expect(sum(points, ({ prompt_tokens }) => prompt_tokens)).toBe(usage!.prompt_tokens);
    expect(sum(points, ({ cost }) => Math.round(Number(cost) * 1e9))).toBe(Math.round(Number(usage!.credits) * 1e9));
    for (const { first_token_ms } of points)
      expect(first_token_ms!.p50 >= 50 && first_token_ms!.p50 < first_token_ms!.p95 && first_token_ms!.p95 < 450).toBe(true);
  });

  it('has the intervals of days, and the percentiles over all of them', async () => {
    const points = await series(`${range}&interval=day`);
    expect(points).toHaveLength(1);
    expect(points[0]!.requests).toBe(1_000);
    // As the seed has them: 50 + (7 n mod 400) for every odd n that was answered.
    const first = Array.from({ length: 1_000 }, (_, n) => n).filter((n) => n % 2 === 1 && n % 40 !== 39 && n % 50 !== 17);
    const sorted = first.map((n) => 50 + ((n * 7) % 400)).sort((one, other) => one - other);
    for (const [share, found] of [
      [0.5, points[0]!.first_token_ms!.p50],
      [0.95, points[0]!.first_token_ms!.p95],
    ] as const) {
      const at = (sorted.length - 1) * share;
      const [below, above] = [sorted[Math.floor(at)]!, sorted[Math.ceil(at)]!];
      expect(found).toBe(Math.round(below + (above - below) * (at % 1)));
    }
  });

  it('tells models, keys and projects apart, and puts the rest together', async () => {
    const all = await series(`${range}&by=model`);
    expect(new Set(all.map(({ group }) => group))).toEqual(new Set(['four', 'one', 'three', 'two']));
    const two = await series(`${range}&by=model&groups=2`);
    const groups = [...new Set(two.map(({ group }) => group))];
    expect(groups).toHaveLength(3);
    expect(groups).toContain(null);
    expect(sum(two, ({ requests }) => requests)).toBe(1_000);
    const rest = two.filter(({ group }) => group === null);
    const told = all.filter(({ group }) => !groups.includes(group));
    expect(sum(rest, ({ requests }) => requests)).toBe(sum(told, ({ requests }) => requests));
    const byProject = await series(`${range}&by=project`);
    const inProject = byProject.filter(({ group }) => group === project);
    expect(new Set(byProject.map(({ group }) => group))).toEqual(new Set(['', project]));
    expect(sum(inProject, ({ requests }) => requests)).toBe(500);
    expect(sum(await series(`${range}&project=${project}`), ({ requests }) => requests)).toBe(500);
    const keys = new Set((await series(`${range}&by=key`)).map(({ group }) => group));
    expect(keys.size).toBe(2);
    expect(sum(await series(`${range}&key=${[...keys][0]}`), ({ requests }) => requests)).toBe(500);
    expect(sum(await series(`${range}&model=one`), ({ requests }) => requests)).toBe(250);
    expect(await series(`${range}&environment=test`)).toEqual([]);
  });

  it('tells errors apart by their causes, the most frequent first', async () => {
    const causes = await series(`${range}&interval=day&by=error`);
    expect(causes.map(({ group, requests, errors }) => [group, requests, errors])).toEqual([
      ['rate_limit_exceeded', 25, 25],
      ['model_overloaded', 20, 20],
    ]);
    const first = await series(`${range}&interval=day&by=error&groups=1`);
    expect(first.map(({ group, errors }) => [group, errors])).toEqual([
      ['rate_limit_exceeded', 25],
      [null, 20],
    ]);
  });

  it('says what reading from caches has saved', async () => {
    const { body } = await operator.get(`accounts/${seeded.accountId}/charges`);
    const saved = sum(await series(`${range}&by=model`), ({ saved_by_caching }) => Number(saved_by_caching));
    // 250 requests have read 400 tokens from a cache, at 0.00225 credits less for 1,000.
    expect(saved).toBeCloseTo(0.225, 9);
    expect(saved).toBeCloseTo(Number((body as { saved_by_cache: string }).saved_by_cache), 9);
  });

  it('has the requests of now, which were charged, failed or refused', async () => {
    const { accountId, liveKey } = await gateway.newCustomer();
    const body = { model: 'sandbox-text', prompt: 'Hello', max_tokens: 4 };
    await gateway.post('completions', body, liveKey).expect(200);
    const stream = await gateway.stream('completions', body, { key: liveKey });
    await stream.text();
    await gateway.post('completions', { ...body, model: 'sandbox-overloaded' }, liveKey).expect(503);
    await gateway.post('completions', { ...body, model: 'none' }, liveKey).expect(404);
    await gateway.get('models', liveKey).expect(200);
    const read = () => series('by=model', operator, accountId);
    await until(async () => sum(await read(), ({ requests }) => requests) === 4, 'all requests');
    expect(sum(await read(), ({ errors }) => errors)).toBe(2);
    const chat = (await read()).filter(({ group }) => group === 'sandbox-text');
    expect(sum(chat, ({ requests }) => requests)).toBe(2);
    expect(chat.at(-1)!.first_token_ms).toMatchObject({ p50: expect.any(Number) as number });
  });

  it('is bounded', async () => {
    const refused = async (query: string, word: string): Promise<void> => {
      const refusal = await operator.get(`accounts/${seeded.accountId}/usage/series?${query}`);
      expect(expectEnvelope(refusal, 400, 'invalid_request').message).toContain(word);
    };
    await refused('from=2026-01-01T00:00:00Z&to=2026-03-01T00:00:00Z', 'intervals');
    await refused('interval=day&from=2020-01-01T00:00:00Z', 'intervals');
    await refused('from=2026-03-01T00:00:00Z&to=2026-02-01T00:00:00Z', 'before');
    await refused('interval=minute', 'interval');
    await refused('by=user', 'by');
    await refused('groups=21', 'groups');
  });
});
