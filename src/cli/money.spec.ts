import { sql } from 'kysely';
import type { Principal } from '../auth/principal.js';
import { LedgerBench, request, settlement } from '../billing/testing/ledger-bench.js';
import { describeStores } from '../database/testing/describe-engines.js';
import { runCommand } from './testing/run-command.js';

// Every command opens the store anew.

const DAY = 86_400_000;
const dayOf = (time: number) => new Date(time).toISOString().slice(0, 10);

describeStores('the command line on money', (create) => {
  let bench: LedgerBench;
  let customer: Principal;
  let configFile: string;

  beforeAll(async () => {
    bench = await LedgerBench.start(await create());
    configFile = bench.configFile();
    customer = await bench.customer(0n);
  });
  afterAll(() => bench.stop());

  const switchyard = (...args: string[]) => runCommand(...args, '--config', configFile);
  async function json(...args: string[]): Promise<unknown> {
    const { code, out, err } = await switchyard(...args, '--json');
    expect({ code, err }).toEqual({ code: 0, err: '' });
    return JSON.parse(out);
  }

  it('adds nothing for a grant that is repeated, and refuses its id for another', async () => {
    for (const name of ['Acme', 'Globex']) await json('accounts', 'create', name);
    const grant = (...args: string[]) => switchyard('credits', 'grant', '--id', 'g1', ...args);
    expect(await grant('-a', 'Acme', '3')).toMatchObject({ code: 0, out: 'Granted 3 credits; Acme has 3 live credits available.\n' });
    for (const same of [['3'], ['3.0', '--note', 'again']])
      expect(await grant('-a', 'Acme', ...same)).toMatchObject({
        code: 0,
        out: 'The grant g1 had been made before: nothing was added; Acme has 3 live credits available.\n',
      });
    for (const other of [
      ['-a', 'Globex', '3'],
      ['-a', 'Acme', '-e', 'test', '3'],
      ['-a', 'Acme', '4'],
      ['-a', 'Acme', '4', '--json'],
    ])
      expect(await grant(...other)).toEqual({
        code: 1,
        out: '',
        err: "switchyard: nothing was added: the grant 'g1' of before was 3 live credits for Acme: give this one another --id\n",
      });
    for (const name of ['Acme', 'Globex'])
      expect(await json('credits', 'show', '-a', name)).toMatchObject([
        { environment: 'live', balance: name === 'Acme' ? '3' : '0' },
        { environment: 'test', balance: '0' },
      ]);
  });

  it('tells what there is, what is held and what was spent, by model, key and day, to the billionth', async () => {
    const { accountId, keyId } = customer;
    await json('credits', 'grant', '-a', accountId, '9007199254.740993001');
    const use = async (model: string, completion: bigint) => {
      const hold = await bench.ledger.hold(
        request(customer, { model, price: { prompt: 7n, completion }, promptTokens: 7, maxTokens: 100 }),
      );
      hold.settle(settlement('completed', 7, 3));
    };
    // (7 x 7 + 3 x 333,333,333) / 1000, and (7 x 7 + 3 x 2) / 1000, each rounded up
    await use('large', 333_333_333n);
    await use('large', 333_333_333n);
    await use('small', 2n);
    await bench.written();
    await sql`update usage set created_at = created_at - ${DAY} where model = 'small'`.execute(bench.database.db);
    const open = await bench.ledger.hold(request(customer, { maxTokens: 25 }));
    await bench.known(customer);

    const live = { account_id: accountId, environment: 'live' };
    // 9,007,199,254.740993001 less 2 x 0.001000001 and 0.000000001
    const balance = { balance: '9007199254.738992998', held: '0.000000025', available: '9007199254.738992973' };
    expect(await json('credits', 'show', '-a', accountId)).toContainEqual(expect.objectContaining({ ...live, ...balance }));
    expect((await switchyard('credits', 'show', '-a', accountId)).out).toMatch(
      / live +9007199254\.738992998 +0\.000000025 +9007199254\.738992973\n/,
    );

    const [today, yesterday] = [dayOf(Date.now()), dayOf(Date.now() - DAY)];
    const sum = (of: object, requests: number, credits: string) => ({
      ...of,
      requests,
      prompt_tokens: 7 * requests,
      completion_tokens: 3 * requests,
      credits,
      collected: '0',
      uncollected: '0',
    });
    expect(await json('usage', '-a', accountId, '--by', 'model,key,day')).toEqual([
      sum({ model: 'large', key: keyId, day: today }, 2, '0.002000002'),
      sum({ model: 'small', key: keyId, day: yesterday }, 1, '0.000000001'),
    ]);
    expect(await json('usage', '-a', accountId, '--day', yesterday, '--by', 'model')).toEqual([sum({ model: 'small' }, 1, '0.000000001')]);
    expect(await json('usage', '-a', accountId, '--since', yesterday, '--until', today, '--by', 'day')).toEqual([
      sum({ day: yesterday }, 1, '0.000000001'),
    ]);
    expect((await switchyard('usage', '-a', accountId, '--by', 'key,model')).out).toMatch(/key_\w+ +large +2 +14 +6 +0\.002000002 +0\n/);
    const components = (...more: string[]) => json('usage', '-a', accountId, '--components', ...more);
    expect(await components('--day', today)).toMatchObject({
      components: [
        { component: 'completion', count: 6, price: '0.333333333', amount: '0.001999999998' },
        { component: 'prompt', count: 14, price: '0.000000007', amount: '0.000000000098' },
        { component: 'rounding', amount: '0.000000001904' },
      ],
    });
    expect(await components('--key', keyId, '--model', 'small', '--env', 'live')).toMatchObject({ saved_by_cache: '0' });
    const others = (await bench.customer(0n)).accountId;
    expect(await json('usage', '-a', others, '--components')).toEqual({ components: [], saved_by_cache: '0' });
    open.settle(settlement('empty', 0, 0));
    await bench.written();
    expect(await json('credits', 'show', '-a', accountId)).toContainEqual(
      expect.objectContaining({ ...live, balance: '9007199254.738992998', held: '0', available: '9007199254.738992998' }),
    );
  });

  it('grants no more than there can be', async () => {
    const { accountId } = customer;
    const before = await json('credits', 'show', '-a', accountId);
    for (const account of [accountId, (await bench.customer(0n)).accountId]) {
      const { code, out, err } = await switchyard('credits', 'grant', '-a', account, '9223372036.854775807');
      expect({ code, out }).toEqual({ code: 1, out: '' });
      expect(err).toBe('switchyard: no account, nor all together, can have more than 9223372036.854775807 credits\n');
    }
    expect(await json('credits', 'show', '-a', accountId)).toEqual(before);
    expect(await switchyard('credits', 'grant', '-a', accountId, '9223372036.854775808')).toMatchObject({ code: 2 });
  });

  it('finds the ledger right, and then the row that is not', async () => {
    expect(await switchyard('ledger', 'verify')).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^OK: \d+ balances agree with/),
      err: '',
    });
    const { rows } = await sql<{
      request_id: string;
    }>`update usage set amount = amount - 1 where model = 'small' returning request_id`.execute(bench.database.db);
    const { code, out, err } = await switchyard('ledger', 'verify');
    expect({ code, err }).toEqual({ code: 1, err: 'switchyard: the ledger does not agree in 3 places\n' });
    expect(out).toMatch(new RegExp(`^usage ${rows[0]!.request_id} +1 +0 +a request costs its tokens`, 'm'));
    expect(out).toContain(`balance ${customer.accountId} live`);
    expect(out).toContain('balance system:revenue live');
  });
});
