import { writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { AdminTokenService } from '../auth/administration/admin-token.service.js';
import { ApiKeyService } from '../auth/api-key.service.js';
import { ApiKeyHasher } from '../auth/api-key-hasher.js';
import { loadPepper } from '../auth/pepper.js';
import { LedgerBench, request, settlement } from '../billing/testing/ledger-bench.js';
import { PerformanceStore } from '../catalogue/performance-store.js';
import { PriceStore } from '../catalogue/price-store.js';
import { systemClock } from '../common/time/clock.js';
import { AuditLog } from '../observability/audit/audit-log.js';
import { runCommand } from './testing/run-command.js';
import { table } from './table.js';

let gateway: LedgerBench;
let configFile: string;

async function begin(): Promise<void> {
  gateway = await LedgerBench.start();
  configFile = gateway.configFile();
}
const end = () => gateway.stop();

/** Runs a command, and resolves when the gateway has in memory what it has changed, however slow the machine is. */
async function switchyard(...args: string[]) {
  const done = await runCommand(...args, '--config', configFile);
  await gateway.database.look();
  return done;
}

describe('the command line', () => {
  let server: Server | undefined;

  beforeEach(begin);
  afterEach(async () => {
    server?.close();
    server?.closeAllConnections();
    await end();
  });

  async function json<T>(...args: string[]): Promise<T> {
    const { code, out, err } = await switchyard(...args, '--json');
    expect({ code, err }).toEqual({ code: 0, err: '' });
    return JSON.parse(out) as T;
  }

  interface Key {
    id: string;
    key: string;
    status: string;
  }

  it('makes, lists and revokes tokens of the administration, and leaves a line of each change', async () => {
    const { database, store } = gateway;
    const service = new AdminTokenService(database, new ApiKeyHasher(await loadPepper(store.config, database)));
    await service.onModuleInit();
    const account = await json<{ id: string }>('accounts', 'create', 'Tokens');
    const made = await json<{ id: string; token: string }>('tokens', 'create', '-r', 'owner', '-a', 'Tokens', '-x', '1d', '-l', 'ci');
    expect(made.token).toMatch(/^sy-admin-[0-9A-Za-z]{32}$/);
    expect(service.authenticate(`Bearer ${made.token}`)).toEqual({ kind: 'token', id: made.id, role: 'owner', accountId: account.id });
    const { token: _, ...shown } = made;
    expect(await json('tokens', 'list')).toContainEqual(shown);
    expect((await switchyard('tokens', 'list')).out).toContain(made.id);
    expect(await switchyard('tokens', 'create', '-r', 'owner')).toMatchObject({
      code: 1,
      err: expect.stringContaining('belongs to an account'),
    });
    expect(await switchyard('tokens', 'create', '-r', 'operator', '-a', 'Tokens')).toMatchObject({ code: 1 });
    expect(await json('tokens', 'revoke', made.id)).toMatchObject({ id: made.id, status: 'revoked' });
    expect(() => service.authenticate(`Bearer ${made.token}`)).toThrow('Invalid administration token provided');
    const { data } = await new AuditLog(database).page(account.id, { limit: 10 });
    const by = { actor: userInfo().username, actorKind: 'cli', accountId: account.id };
    expect(data).toEqual([
      expect.objectContaining({ ...by, action: 'tokens revoke', subject: made.id }),
      expect.objectContaining({ ...by, action: 'tokens create', subject: made.id, fields: ['role', 'label', 'expires_at'] }),
      expect.objectContaining({ ...by, action: 'accounts create', subject: account.id }),
    ]);
  });

  it('makes an account, credits and keys that the running gateway takes, and revokes them', async () => {
    const hasher = new ApiKeyHasher(await loadPepper(gateway.store.config, gateway.database));
    const service = new ApiKeyService(gateway.database, hasher, systemClock);
    await service.onModuleInit();

    const account = await json<{ id: string }>('accounts', 'create', 'Acme');
    expect(await switchyard('credits', 'grant', '-a', 'Acme', '0.000000025')).toMatchObject({
      code: 0,
      out: 'Granted 0.000000025 credits; Acme has 0.000000025 live credits available.\n',
    });
    const { id, key } = await json<Key>('keys', 'create', '--account', 'Acme', '--env', 'live', '--label', 'ci', '--expires', '90d');

    const principal = service.authenticate(`Bearer ${key}`);
    expect(principal).toEqual({ keyId: id, accountId: account.id, environment: 'live' });
    const hold = await gateway.ledger.hold(request(principal, { maxTokens: 25 }));
    await gateway.known(principal);
    expect(await json('credits', 'show', '--account', 'Acme')).toContainEqual({
      account_id: account.id,
      account: 'Acme',
      environment: 'live',
      balance: '0.000000025',
      held: '0.000000025',
      available: '0',
    });
    hold.settle(settlement('completed', 2, 3));
    await gateway.written();
    expect(await json('usage', '--by', 'account,key,model')).toEqual([
      {
        account: account.id,
        key: id,
        model: 'model',
        requests: 1,
        prompt_tokens: 2,
        completion_tokens: 3,
        credits: '0.000000005',
        collected: '0',
        uncollected: '0',
      },
    ]);

    expect(await json<Key>('keys', 'revoke', id)).toMatchObject({ status: 'revoked' });
    expect(() => service.authenticate(`Bearer ${key}`)).toThrow('Invalid API key provided');
    expect(await json<Key[]>('keys', 'list', '--account', 'Acme')).toMatchObject([{ id, status: 'revoked', label: 'ci' }]);
  });

  it('shows tables to people, and a full key once', async () => {
    await switchyard('accounts', 'create', 'Acme');
    const created = await switchyard('keys', 'create', '-a', 'Acme', '-e', 'test');
    const [key] = /sy-test-[0-9A-Za-z]{32}/.exec(created.out)!;
    const list = await switchyard('keys', 'list', '-a', 'Acme');
    expect(list.out).toContain(`${key.slice(0, 12)}...${key.slice(-4)}`);
    expect(list.out).not.toContain(key);
    expect((await switchyard('accounts', 'list')).out).toMatch(
      /^ACCOUNT +NAME +STATUS +CREATED\nacct_\w+ +Acme +active +\d{4}-\d\d-\d\d \d\d:\d\d\n$/,
    );
    expect((await switchyard('credits', 'show')).out).toMatch(
      /^ACCOUNT +ENVIRONMENT +BALANCE +HELD +AVAILABLE\nAcme +live +0 +0 +0\nAcme +test +0 +0 +0\n$/,
    );
    expect((await switchyard('usage')).out).toMatch(
      /^DAY +ACCOUNT +MODEL +REQUESTS +PROMPT TOKENS +COMPLETION TOKENS +CREDITS +UNCOLLECTED\n$/,
    );
  });

  it('repeats a named grant without effect', async () => {
    await switchyard('accounts', 'create', 'Acme');
    const grant = () =>
      json<{ granted: string; balance: string }>('credits', 'grant', '-a', 'Acme', '-e', 'test', '--id', 'invoice 7', '3');
    expect(await grant()).toMatchObject({ granted: '3', balance: '3' });
    expect(await grant()).toMatchObject({ granted: '0', balance: '3' });
  });

  it('checks the ledger, and fails when it does not agree', async () => {
    const principal = await gateway.customer(100n);
    (await gateway.ledger.hold(request(principal))).settle(settlement('completed', 0, 5));
    await gateway.written();
    expect(await switchyard('ledger', 'verify')).toEqual({
      code: 0,
      out: 'OK: 8 balances agree with 2 transfers and 1 usage rows.\n',
      err: '',
    });
    await sql`update usage set amount = 4`.execute(gateway.database.db);
    const { code, out, err } = await switchyard('ledger', 'verify');
    expect({ code, err }).toEqual({ code: 1, err: expect.stringMatching(/^switchyard: the ledger does not agree in \d places\n$/) });
    expect(out).toMatch(/^ROW +EXPECTED +FOUND +LAW\nusage \S+ +5 +4 +a request costs/);
  });

  it('lists the models of a running gateway', async () => {
    const model = {
      id: 'small',
      provider: { id: 'p', name: 'Provider' },
      pricing: { prompt: 0.0000001, completion: 2, unit: '1k_tokens' },
      context_length: 8192,
      max_tokens: 1024,
      status: { active: true, message: '' },
    };
    server = createServer((incoming, response) => {
      const allowed = incoming.headers.authorization === 'Bearer good' && incoming.url === '/v1/models?active_only=true';
      response.statusCode = allowed ? 200 : 401;
      response.end(
        JSON.stringify(
          allowed ? { object: 'list', data: [model] } : { error: { message: 'Invalid API key provided', code: 'invalid_api_key' } },
        ),
      );
    });
    await new Promise<void>((resolve) => server!.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
    const { out } = await switchyard('models', 'list', '--url', url, '--key', 'good');
    expect(out).toContain('small  Provider    0.0000001');
    expect(await switchyard('models', 'list', '--url', url, '--key', 'bad')).toEqual({
      code: 1,
      out: '',
      err: 'switchyard: the gateway answered 401 invalid_api_key: Invalid API key provided\n',
    });
    server.close();
    server.closeAllConnections();
    expect(await switchyard('models', 'list', '--url', url, '--key', 'good')).toMatchObject({
      code: 1,
      err: expect.stringMatching(/^switchyard: no gateway answers at [^\n]+\n$/),
    });
  });

  it('shows what offers have done', async () => {
    const bucket = { epoch: Math.floor(Date.now() / 30_000), changed: true, served: 3, failed: 1, totalMs: 6_000, tokens: 90 };
    const store = new PerformanceStore(gateway.database);
    await store.publish('one', [{ provider: 'east', model: 'small', bucket: { ...bucket, streams: 2, firstTokenMs: 500 } }]);
    await store.publish('two', [{ provider: 'east', model: 'small', bucket: { ...bucket, streams: 0, firstTokenMs: 0 } }]);
    expect(await json('models', 'performance')).toEqual([
      { provider: 'east', model: 'small', served: 6, failed: 2, first_token: 0.25, response_time: 2, tokens_per_second: 15 },
    ]);
    expect((await switchyard('models', 'performance')).out).toMatch(
      /^MODEL +PROVIDER +SERVED +FAILED .*\nsmall +east +6 +2 +0.25 +2 +15\n$/,
    );
  });

  it('tells what a model has cost from when on', async () => {
    const prices = new PriceStore(gateway.database);
    await prices.add([{ provider: 'east', model: 'small', prompt: 500_000n, completion: 1_500_000_000n }]);
    await prices.add([{ provider: 'east', model: 'small', prompt: 1n, completion: 0n }]);
    expect(await json('models', 'prices', 'small')).toMatchObject([
      { provider: 'east', prompt: '0.000000001', completion: '0' },
      { provider: 'east', prompt: '0.0005', completion: '1.5', valid_from: expect.stringMatching(/^\d{4}-.*Z$/) },
    ]);
    expect((await switchyard('models', 'prices', 'small')).out).toMatch(
      /^FROM +PROVIDER +PROMPT \/ 1K .*\n.* east +0\.000000001 +0 .*\n.*\n$/,
    );
    expect(await json('models', 'prices', 'unknown')).toEqual([]);
    gateway.configFile({ routing: { aliases: { little: 'small', least: 'little' } } });
    expect(await json('models', 'prices', 'least')).toHaveLength(2);
  });

  it('switches models off and on', async () => {
    const prices = new PriceStore(gateway.database);
    await prices.add(['west', 'east'].map((provider) => ({ provider, model: 'large', prompt: 1n, completion: 1n })));
    await prices.add([{ provider: 'east', model: 'small', prompt: 1n, completion: 1n }]);
    expect(await switchyard('models', 'disable', 'small', '--message', 'Back at noon')).toEqual({
      code: 0,
      out: 'Switched off small.\n',
      err: '',
    });
    expect(await json('models', 'disable', 'large', '--provider', 'east')).toEqual({ model: 'large', provider: 'east', active: false });
    expect(await json('models', 'switches')).toMatchObject([
      { model: 'large', provider: 'east', message: 'Switched off by the operator' },
      { model: 'small', provider: null, message: 'Back at noon' },
    ]);
    expect((await switchyard('models', 'switches')).out).toMatch(
      /^MODEL +PROVIDER +SINCE \(UTC\) +MESSAGE\nlarge +east .*\nsmall +all .*Back at noon\n$/,
    );
    expect(await switchyard('models', 'enable', 'small')).toMatchObject({ code: 0, out: 'Switched on small.\n' });
    expect(await switchyard('models', 'enable', 'large', '-p', 'west')).toMatchObject({ out: 'large at west was not switched off.\n' });
    expect(await json('models', 'enable', 'large')).toMatchObject({ lifted: 1 });
    expect(await switchyard('models', 'disable', 'small', '-m', ' ')).toMatchObject({ code: 2 });
  });

  it('switches off no model that nobody offers, unless it is forced to', async () => {
    server = createServer((incoming, response) => {
      response.end(incoming.url!.startsWith('/v1/models') ? '{"object":"list","data":[{"id":"listed","object":"model"}]}' : '');
    });
    await new Promise<void>((resolve) => server!.listen(0, '127.0.0.1', resolve));
    const base_url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
    const own = { base_url: 'http://127.0.0.1:9', free: true };
    writeFileSync(
      configFile,
      JSON.stringify({
        store: { data_dir: gateway.store.dataDir },
        providers: {
          far: { base_url, free: true },
          mine: { ...own, models: { small: {}, other: {} } },
          open: { ...own, models: {}, open: { context_length: 9, max_tokens: 5 } },
        },
        routing: { aliases: { quick: 'small' } },
      }),
    );
    await new PriceStore(gateway.database).add([{ provider: 'east', model: 'priced', prompt: 1n, completion: 1n }]);
    for (const id of ['priced', 'small', 'quick', 'listed', 'open/anything'])
      expect(await switchyard('models', 'disable', id)).toMatchObject({ code: 0, err: '' });
    expect(await switchyard('models', 'disable', 'smoll')).toEqual({
      code: 1,
      out: '',
      err: "switchyard: nobody offers the model 'smoll'; did you mean small? --force switches it off all the same\n",
    });
    expect(await switchyard('models', 'disable', 'small', '-p', 'mien')).toEqual({
      code: 1,
      out: '',
      err: "switchyard: nobody offers the model 'small' at mien; did you mean mine? --force switches it off all the same\n",
    });
    server.close();
    server.closeAllConnections();
    expect(await switchyard('models', 'disable', 'TYPO')).toEqual({
      code: 1,
      out: '',
      err: "switchyard: nobody offers the model 'TYPO' (far did not list its models); --force switches it off all the same\n",
    });
    expect(await json<unknown[]>('models', 'switches')).toHaveLength(5);
    expect(await switchyard('models', 'disable', 'TYPO', '--force')).toMatchObject({ code: 0, out: 'Switched off TYPO.\n' });
  });

  it('takes a folder without a store for a mistake, except to begin one', async () => {
    writeFileSync(configFile, JSON.stringify({ store: { data_dir: join(gateway.store.dataDir, 'elsewhere') } }));
    expect(await switchyard('accounts', 'list')).toMatchObject({ code: 1, err: expect.stringContaining('there is no store in') });
    expect(await switchyard('accounts', 'create', 'Acme')).toMatchObject({ code: 0 });
    expect(await switchyard('accounts', 'create', 'Acme')).toMatchObject({ code: 1, err: expect.stringContaining('already') });
    expect(await json<unknown[]>('accounts', 'list')).toHaveLength(1);
  });
});

describe('the command line', () => {
  beforeAll(begin);
  afterAll(end);

  it.each([
    [1, ['keys', 'create', '-a', 'Nobody', '-e', 'live'], "there is no account 'Nobody'"],
    [1, ['keys', 'revoke', 'key_nothing'], "there is no key 'key_nothing'"],
    [1, ['accounts', 'create', ' '], '1 to 200 characters'],
    [2, ['keys', 'create', '-a', 'Acme'], "'-e, --env <environment>'"],
    [2, ['keys', 'create', '-a', 'Acme', '-e', 'production'], 'live, test'],
    [2, ['keys', 'create', '-a', 'Acme', '-e', 'live', '-x', '2020-01-01'], 'in the past'],
    [2, ['credits', 'grant', '-a', 'Acme', '0'], 'above 0'],
    [2, ['credits', 'grant', '-a', 'Acme', '0.0000000001'], 'more than 9 decimals'],
    [2, ['credits', 'grant', '-a', 'Acme', 'ten'], '(see switchyard credits grant --help)'],
    [2, ['credits', 'grant', '-a', 'Acme', '1e3'], 'not a plain decimal number: 1e3'],
    [2, ['keys', 'create', '-a', 'Acme', '-e', 'live', '--budget', 'day=1e3'], 'budgets.day must be credits as a decimal text'],
    [2, ['usage', '--by', 'colour'], 'Choose from day'],
    [2, ['usage', '--day', 'yesterday'], '2026-11-21'],
    [2, ['usage', '--day', '2026-02-31'], 'Give a day of the calendar'],
    [2, ['keys', 'create', '-a', 'Acme', '-e', 'live', '-x', '2999-02-31T00:00:00Z'], 'Give a day of the calendar'],
    [2, ['acounts', 'list'], 'Did you mean accounts?)\n(see switchyard --help)'],
    [2, ['keys', 'frobnicate'], 'frobnicate'],
  ])('answers %i to %j and says why', async (code, args, reason) => {
    const result = await switchyard(...args);
    expect(result).toMatchObject({ code, out: '', err: expect.stringContaining(reason) });
  });

  it('shows in a sentence, an error and JSON what in a name would turn the text around it', async () => {
    const name = '\u202e\u2066turned \u2069\u202eround';
    const made = await switchyard('accounts', 'create', name);
    expect(made.out).toMatch(/^Created account \\u202e\\u2066turned \\u2069\\u202eround \(acct_\w+\)\.\n$/);
    expect((await switchyard('accounts', 'create', name)).err).toContain('named \\u202e\\u2066turned');
    const { out } = await switchyard('accounts', 'list', '--json');
    expect(out).not.toMatch(/\p{Bidi_Control}/u);
    expect(JSON.parse(out)).toContainEqual(expect.objectContaining({ name }));
  });

  it('helps', async () => {
    const help = await switchyard('--help');
    expect(help).toMatchObject({ code: 0, err: '' });
    for (const word of ['accounts', 'keys', 'credits', 'usage', 'models', 'ledger', 'Examples:']) expect(help.out).toContain(word);
    expect((await switchyard('keys', 'create', '--help')).out).toContain('--expires <when>');
    expect((await switchyard('--version')).out).toMatch(/^\d+\.\d+\.\d+\n$/);
  });
});

describe('A table of the command line', () => {
  it('shows what in a name would move the cursor or turn the text around it, and isolates what is written from right to left', () => {
    const rows = [
      ['\u202eemca\u2066', 'a\nb\u001b[2J'],
      ['شركة', 'acct_1'],
    ];
    expect(table(['name', 'id'], rows)).toBe(
      `NAME              ID\n\\u202eemca\\u2066  a\\u000ab\\u001b[2J\n\u2068شركة\u2069              acct_1`,
    );
  });
});
