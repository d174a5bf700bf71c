import { sql } from 'kysely';
import { Database } from '../src/database/database.js';
import { Administration } from './support/administration.js';
import type { Customer } from './support/customer.js';
import { describeGateways } from './support/describe-gateways.js';
import { seedRequests } from './support/seed-requests.js';
import { useGateway } from './support/started.js';

interface Line {
  readonly time: string;
  readonly kind: string;
  readonly id: string;
  readonly amount: string;
  readonly balance: string;
  readonly requests: number;
}

interface Statement {
  readonly opening_balance: string;
  readonly closing_balance: string;
  readonly granted: string;
  readonly charged: string;
  readonly uncollected: string;
  readonly saved_by_caching: string;
  readonly lines: Line[];
  readonly models: { readonly model: string; readonly requests: number; readonly cost: string }[];
}

interface BalanceSeries {
  readonly opening_balance: string;
  readonly data: { readonly time: string; readonly granted: string; readonly charged: string; readonly balance: string }[];
}

const DAY = 86_400_000;

describeGateways('What an account was given and charged', (start) => {
  let viewer: Administration;
  let customer: Customer;
  const now = Date.now();
  const thisMonth = new Date(now).toISOString().slice(0, 7);
  const first = Date.parse(`${thisMonth}-01T00:00:00Z`);
  const lastMonth = new Date(first - 1).toISOString().slice(0, 7);

  const gateway = useGateway(() => start());
  beforeAll(async () => {
    const operator = await Administration.as(gateway.running, 'operator');
    customer = await gateway.newCustomer();
    const account = `accounts/${customer.accountId}`;
    viewer = await Administration.as(gateway.running, 'viewer', customer.accountId);
    const grant = { id: `${customer.accountId}-1`, environment: 'live', amount: '7.000000001', note: '=HYPERLINK("x")' };
    await operator.post(`${account}/credits/grants`, grant).expect(200);
    const { body } = await operator.post(`${account}/keys`, { environment: 'live' });
    const database = gateway.running.app.get(Database);
    const seed = { accountId: customer.accountId, keys: [(body as { id: string }).id], models: ['one', 'two'] };
    // Three days at the end of the month before, and the moment before this one.
    await seedRequests(database, { ...seed, count: 300, from: first - 3 * DAY, to: first - 10_000 });
    await seedRequests(database, { ...seed, count: 30, from: Date.now() - 3_000, to: Date.now() - 1_500 });
    // As it would be if they had been charged.
    await sql`update balance set posted = posted - (select sum(amount) from usage where account_id = ${customer.accountId})
      where account_id = ${customer.accountId} and environment = 'live'`.execute(database.db);
  });

  const nano = (credits: string): bigint => BigInt(Math.round(Number(credits) * 1e9));
  const statement = async (month: string, more = ''): Promise<Statement> =>
    (await viewer.get(`accounts/${customer.accountId}/credits/statement?month=${month}${more}`).expect(200)).body as Statement;
  const ledger = async (query = ''): Promise<Line[]> => {
    const all: Line[] = [];
    for (let after = ''; ;) {
      const { body } = await viewer.get(`accounts/${customer.accountId}/credits/ledger?limit=2${query}${after}`).expect(200);
      const { data, next } = body as { data: Line[]; next: string | null };
      all.push(...data);
      if (next === null) return all;
      after = `&after=${encodeURIComponent(next)}`;
    }
  };

  it('is a line for each grant and each day, newest first, with the balance behind it', async () => {
    const lines = await ledger();
    expect(lines.filter(({ kind }) => kind === 'grant').map(({ amount }) => amount)).toEqual(['7.000000001', '1000']);
    const days = lines.filter(({ kind }) => kind === 'charges');
    expect(days.map(({ time }) => time)).toEqual(days.map(({ time }) => time).sort((one, other) => (one < other ? 1 : -1)));
    expect(days.length).toBeGreaterThanOrEqual(4);
    for (const [index, line] of lines.slice(0, -1).entries())
      expect(nano(line.balance)).toBe(nano(lines[index + 1]!.balance) + nano(line.amount));
    expect(nano(lines.at(-1)!.balance)).toBe(nano(lines.at(-1)!.amount));
    expect(await ledger('&environment=test')).toMatchObject([{ kind: 'grant', amount: '1000', balance: '1000' }]);
    expect(await ledger(`&to=${new Date(first - 10 * DAY).toISOString()}`)).toEqual([]);
    const refused = await viewer.get(`accounts/${customer.accountId}/credits/ledger?from=2020-01-01T00:00:00Z`);
    expect(refused.status).toBe(400);
  });

  it('is a statement of each month, of which one begins where the one before ends', async () => {
    const [before, after] = [await statement(lastMonth), await statement(thisMonth)];
    expect(before.opening_balance).toBe('0');
    expect(after.opening_balance).toBe(before.closing_balance);
    for (const { opening_balance, closing_balance, granted, charged } of [before, after])
      expect(nano(closing_balance)).toBe(nano(opening_balance) + nano(granted) - nano(charged));
    expect(before.models.map(({ model, requests }) => [model, requests])).toEqual([
      ['one', expect.any(Number)],
      ['two', expect.any(Number)],
    ]);
    expect(before.models.reduce((sum, { cost }) => sum + nano(cost), 0n)).toBe(nano(before.charged));
    // Each 4th of the 300 has read 400 tokens at 0.00025 credits per 1,000 in place of 0.0025.
    expect(before.saved_by_caching).toBe('0.0675');
    expect(before.granted).toBe('0');
    expect(after.granted).toBe('1007.000000001');
    const usage = (await viewer.get(`accounts/${customer.accountId}/usage?by=environment`)).body as { data: [{ credits: string }] };
    expect(nano(before.charged) + nano(after.charged)).toBe(nano(usage.data[0].credits));
    expect((await statement('2020-01')).lines).toEqual([]);
  });

  it('is a balance over time, by the day and the hour, from what there was before on', async () => {
    const series = async (query: string): Promise<BalanceSeries> =>
      (await viewer.get(`accounts/${customer.accountId}/credits/series?${query}`).expect(200)).body as BalanceSeries;
    const from = `from=${new Date(first - 5 * DAY).toISOString()}`;
    const days = await series(`interval=day&${from}`);
    expect(days).toMatchObject({ environment: 'live', interval: 'day', opening_balance: '0' });
    const lines = (await ledger()).filter(({ kind }) => kind === 'charges').toReversed();
    expect(days.data.every(({ granted, charged }) => granted !== '0' || charged !== '0')).toBe(true);
    expect(days.data.filter(({ charged }) => charged !== '0').map(({ time, charged }) => [time, -nano(charged)])).toEqual(
      lines.map(({ time, amount }) => [time, nano(amount)]),
    );
    let balance = 0n;
    for (const point of days.data) expect(nano(point.balance)).toBe((balance += nano(point.granted) - nano(point.charged)));
    expect(days.data.at(-1)!.balance).toBe((await statement(thisMonth)).closing_balance);
    expect(days.data.reduce((sum, { granted }) => sum + nano(granted), 0n)).toBe(nano('1007.000000001'));
    // Later intervals begin with what the earlier ones have left.
    const hours = await series(`from=${new Date(first - 2 * DAY).toISOString()}&to=${new Date(first).toISOString()}`);
    expect(hours.opening_balance).toBe(days.data.find(({ time }) => Date.parse(time) === first - 3 * DAY)!.balance);
    expect(hours.data.length).toBeGreaterThan(40);
    expect(hours.data.at(-1)!.balance).toBe((await statement(lastMonth)).closing_balance);
    expect(await series('environment=test')).toMatchObject({ data: [{ granted: '1000', charged: '0', balance: '1000' }] });
    expect((await series(`environment=test&from=2026-01-01T00:00:00Z&to=2026-01-02T00:00:00Z`)).data).toEqual([]);
    const refused = await viewer.get(`accounts/${customer.accountId}/credits/series?from=2020-01-01T00:00:00Z`);
    expect(refused.status).toBe(400);
  });

  it('is a file, too, in which nothing is a formula', async () => {
    const path = `accounts/${customer.accountId}/credits/statement.csv`;
    const { text, headers } = await viewer.get(path).buffer().expect(200);
    expect(headers['content-type']).toBe('text/csv; charset=utf-8');
    expect(headers['content-disposition']).toBe(`attachment; filename="statement-${thisMonth}-live.csv"`);
    const lines = text.trimEnd().split('\r\n');
    expect(lines).toHaveLength((await statement(thisMonth)).lines.length + 3);
    expect(lines[0]).toMatch(/^time,kind,id,note,requests,.*,balance$/);
    expect(lines[1]).toMatch(/,opening balance,/);
    expect(lines.at(-1)).toMatch(/,closing balance,/);
    expect(text).toContain(`"'=HYPERLINK(""x"")"`);
    expect((await viewer.get(`${path}?month=2026-13`)).status).toBe(400);
  });
});
