import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ApiKeyHasher } from '../auth/api-key-hasher.js';
import { ApiKeyStore } from '../auth/api-key-store.js';
import { ApiKeyService } from '../auth/api-key.service.js';
import { loadPepper } from '../auth/pepper.js';
import { LedgerBench, request, settlement } from '../billing/testing/ledger-bench.js';
import { systemClock } from '../common/time/clock.js';
import { ConfigService } from '../config/config.service.js';
import { describeStores } from '../database/testing/describe-engines.js';
import { AuditLog } from '../observability/audit/audit-log.js';
import { runCommand } from './testing/run-command.js';

interface Key {
  id: string;
  key: string;
  expires_at: string | null;
}

describeStores('the command line on keys and projects', (create) => {
  let bench: LedgerBench;
  let configFile: string;
  let service: ApiKeyService;
  let accountId: string;

  beforeAll(async () => {
    bench = await LedgerBench.start(await create());
    configFile = bench.configFile();
    service = new ApiKeyService(bench.database, new ApiKeyHasher(await loadPepper(bench.store.config, bench.database)), systemClock);
    await service.onModuleInit();
    ({ id: accountId } = await json<{ id: string }>('accounts', 'create', 'Acme'));
    await json('accounts', 'create', 'Other');
    await json('credits', 'grant', '-a', 'Acme', '1');
  });
  afterAll(async () => {
    service.onApplicationShutdown();
    await bench.stop();
  });

  /** Runs a command, and resolves when the gateway has in memory what it has changed, however slow the machine is. */
  const switchyard = async (...args: string[]) => {
    const done = await runCommand(...args, '--config', configFile);
    await bench.database.look();
    return done;
  };
  async function json<T>(...args: string[]): Promise<T> {
    const { code, out, err } = await switchyard(...args, '--json');
    expect({ code, err }).toEqual({ code: 0, err: '' });
    return JSON.parse(out) as T;
  }
  const newKey = (...args: string[]) => json<Key>('keys', 'create', '-a', 'Acme', '-e', 'live', ...args);
  const authenticate = ({ key }: Key) => service.authenticate(`Bearer ${key}`);

  it('makes keys with rules, by option, as JSON and from a file', async () => {
    const options = ['--allow-model', 'gpt-*', '--allow-model', 'o3', '--deny-model', '*-pro', '--allow-provider', 'openai'];
    const more = [
      '--operation',
      'chat',
      '--address',
      '10.0.0.0/8',
      '--rpm',
      '60',
      '--tpm',
      '1000',
      '--concurrency',
      '3',
      '--lower-max-tokens',
    ];
    const key = await newKey(...options, ...more, '--budget', 'day=1.5', '--budget', 'ever=20');
    const rules = {
      models: { allow: ['gpt-*', 'o3'], deny: ['*-pro'] },
      providers: { allow: ['openai'] },
      operations: ['chat'],
      addresses: ['10.0.0.0/8'],
      requests_per_minute: 60,
      tokens_per_minute: 1000,
      concurrency: 3,
      lower_max_tokens: true,
      budgets: { day: '1.5', ever: '20' },
    };
    expect(key).toMatchObject({ rules });
    expect(authenticate(key).rules!.access!.allowsModel('gpt-5-pro')).toBe(false);
    expect(await newKey('--rules', JSON.stringify(rules))).toMatchObject({ rules });
    const file = join(configFile, '..', 'rules.json');
    writeFileSync(file, JSON.stringify(rules));
    expect(await newKey('--rules', file, '--rpm', '7')).toMatchObject({ rules: { ...rules, requests_per_minute: 7 } });
  });

  it('changes what is named, and leaves the rest', async () => {
    const made = await newKey('--deny-model', 'a', '--rpm', '60', '--label', 'one', '--metadata', 'team=red', '--metadata', 'note=a=b');
    expect(made).toMatchObject({ metadata: { team: 'red', note: 'a=b' } });
    expect(await json('keys', 'change', made.id, '--allow-model', 'b', '--expires', '24h')).toMatchObject({
      label: 'one',
      rules: { models: { allow: ['b'], deny: ['a'] }, requests_per_minute: 60 },
      metadata: { team: 'red', note: 'a=b' },
      expires_at: expect.any(String),
    });
    expect(authenticate(made).rules!.access!.allowsModel('c')).toBe(false);
    expect(await json('keys', 'change', made.id, '--rules', '{}', '--expires', 'never', '--metadata', 'team=blue')).toMatchObject({
      rules: {},
      metadata: { team: 'blue' },
      expires_at: null,
    });
    expect(authenticate(made).rules).toBeUndefined();
    const { out } = await switchyard('keys', 'show', made.id);
    expect(out).toMatch(
      /^key +sy-live-\w{4}\.\.\.\w{4}\nid +key_\w+\naccount +Acme \(acct_\w+\)\nlabel +one\nstatus +active\ncreated +\S+\n/,
    );
    expect(out).toContain('metadata.team blue\n');
    expect(out).not.toContain(made.key);
    expect(await json('keys', 'show', made.id)).not.toHaveProperty('key');
  });

  it('rotates a key: both work until the grace ends, and the new one is shown once', async () => {
    const old = await newKey('--deny-model', 'a', '--metadata', 'team=red');
    const { out } = await switchyard('keys', 'rotate', old.id);
    const [key] = /\bsy-live-\w{32}\b/.exec(out)!;
    expect(service.authenticate(`Bearer ${key}`)).toMatchObject({ accountId });
    expect(authenticate(old)).toMatchObject({ keyId: old.id });
    const { expires_at } = await json<Key>('keys', 'show', old.id);
    expect(Math.abs(Date.parse(expires_at!) - Date.now() - 86_400_000)).toBeLessThan(600_000);
    const third = await json<Key & { replaces: Key }>('keys', 'rotate', old.id, '--grace', '0s');
    expect(third).toMatchObject({
      rules: { models: { deny: ['a'] } },
      metadata: { team: 'red' },
      first_id: old.id,
      replaces: { id: old.id },
    });
    expect(() => authenticate(old)).toThrow('The API key has expired');
    expect(authenticate(third).keyId).toBe(third.id);
    await json('keys', 'revoke', third.id);
    expect(await switchyard('keys', 'rotate', third.id)).toMatchObject({
      code: 1,
      err: `switchyard: The key '${third.id}' has been revoked.\n`,
    });
  });

  it('makes, changes and archives projects, whose keys share rules', async () => {
    const project = await json<{ id: string }>('projects', 'create', 'Research', '-a', 'Acme', '--deny-model', 'a');
    const key = await newKey('--project', 'Research');
    expect(key).toMatchObject({ project_id: project.id });
    expect(authenticate(key).rules!.access!.allowsModel('a')).toBe(false);
    await json('projects', 'change', 'Research', '--name', 'Search', '--deny-model', 'b');
    expect(['a', 'b'].map((id) => authenticate(key).rules!.access!.allowsModel(id))).toEqual([true, false]);
    await json('accounts', 'limit', 'Acme', '--rpm', '5');
    expect(authenticate(key).rules!.limits).toMatchObject([{ kind: 'account', requestsPerMinute: 5 }]);
    expect((await switchyard('accounts', 'limit', 'Acme')).out).toContain('are {"requests_per_minute":5}.\n');
    await json('accounts', 'limit', 'Acme', '--rules', '{}');
    expect((await switchyard('keys', 'list', '-a', 'Acme')).out).toMatch(new RegExp(`${key.id} +sy-live-\\S+ +Acme +Search +active`));
    expect((await switchyard('projects', 'list')).out).toMatch(
      /^PROJECT +NAME +ACCOUNT +STATUS +CREATED +RULES\nproj_\w+ +Search +Acme +active +\S+ \S+ +\{"models":\{"deny":\["b"\]\}\}\n$/,
    );
    expect(await json('projects', 'archive', project.id)).toMatchObject({ status: 'archived', archived_at: expect.any(String) });
    expect(() => authenticate(key)).toThrow('Invalid API key provided');
    expect(await switchyard('keys', 'create', '-a', 'Acme', '-e', 'live', '-p', 'Search')).toMatchObject({
      code: 1,
      err: `switchyard: The project '${project.id}' has been archived.\n`,
    });
  });

  it('leaves a line of each change in the audit log', async () => {
    const { id: audited } = await json<{ id: string }>('accounts', 'create', 'Audited');
    await json('accounts', 'limit', 'Audited', '--rpm', '5');
    const project = await json<{ id: string }>('projects', 'create', 'Seen', '-a', 'Audited');
    await json('projects', 'change', 'Seen', '--rpm', '5');
    const key = await json<Key>('keys', 'create', '-a', 'Audited', '-e', 'live', '-p', 'Seen', '--metadata', 'team=red');
    await json('keys', 'change', key.id, '--label', 'one', '--expires', '1d');
    const next = await json<Key>('keys', 'rotate', key.id);
    await json('projects', 'archive', project.id);
    const { data } = await new AuditLog(bench.database).page(audited, { limit: 20 });
    expect(data.map(({ action, subject, fields }) => [action, subject, fields]).reverse()).toEqual([
      ['accounts create', audited, ['name']],
      ['accounts limit', audited, ['rules']],
      ['projects create', project.id, ['name']],
      ['projects change', project.id, ['rules']],
      ['keys create', key.id, ['metadata', 'environment', 'project_id']],
      ['keys change', key.id, ['label', 'expires_at']],
      ['keys rotate', next.id, ['grace_seconds', 'replaces']],
      ['projects archive', project.id, ['archived_at']],
    ]);
  });

  it('leaves no line where a change changes nothing, and names only what has changed', async () => {
    const { id: account } = await json<{ id: string }>('accounts', 'create', 'Unchanged');
    await json('accounts', 'limit', 'Unchanged', '--rpm', '5');
    const project = await json<{ id: string }>('projects', 'create', 'Same', '-a', 'Unchanged', '--rpm', '5');
    const key = await json<Key>('keys', 'create', '-a', 'Unchanged', '-e', 'live', '--label', 'one', '--budget', 'day=1');
    const log = async () => (await new AuditLog(bench.database).page(account, { limit: 20 })).data;
    const before = await log();
    expect(before).toHaveLength(4);
    await json('accounts', 'limit', 'Unchanged', '--rpm', '5');
    await json('projects', 'change', project.id);
    expect(await json('projects', 'change', project.id, '--rpm', '5', '--name', ' Same ')).toEqual(project);
    await json('keys', 'change', key.id);
    await json('keys', 'change', key.id, '--label', 'one', '--expires', 'never', '--budget', 'day=1');
    expect(await log()).toEqual(before);
    await json('keys', 'change', key.id, '--label', 'one', '--rpm', '7');
    await json('projects', 'change', project.id, '--name', 'Other', '--rpm', '5');
    expect((await log()).slice(0, 2).map(({ action, fields }) => [action, fields])).toEqual([
      ['projects change', ['name']],
      ['keys change', ['rules']],
    ]);
    await json('keys', 'revoke', key.id);
    expect(await switchyard('keys', 'change', key.id, '--rpm', '8')).toMatchObject({
      code: 1,
      err: `switchyard: The key '${key.id}' has been revoked.\n`,
    });
  });

  it('makes no key in a project of another account, or in an archived one, whoever asks the store', async () => {
    const store = new ApiKeyStore(
      bench.database,
      new ApiKeyHasher(await loadPepper(bench.store.config, bench.database)),
      new ConfigService(bench.store.config),
    );
    const { id: projectId } = await json<{ id: string }>('projects', 'create', 'Elsewhere', '-a', 'Other');
    const wanted = { accountId, environment: 'live', projectId } as const;
    await expect(store.create(wanted)).rejects.toThrow(new RangeError(`the account has no project '${projectId}'`));
    const { id: ended } = await json<{ id: string }>('projects', 'create', 'Ended', '-a', 'Acme');
    await json('projects', 'archive', ended);
    await expect(store.create({ ...wanted, projectId: ended })).rejects.toThrow(new RangeError("the project 'Ended' is archived"));
  });

  it('tells projects of the same name apart', async () => {
    await json('projects', 'create', 'Twin', '-a', 'Acme');
    const other = await json<{ id: string }>('projects', 'create', 'Twin', '-a', 'Other');
    expect(await switchyard('projects', 'archive', 'Twin')).toMatchObject({ code: 1, err: expect.stringContaining('several accounts') });
    expect(await json('projects', 'archive', 'Twin', '-a', 'Other')).toMatchObject({ id: other.id });
    expect(await switchyard('projects', 'create', 'Twin', '-a', 'Acme')).toMatchObject({
      code: 1,
      err: expect.stringContaining('already'),
    });
    expect(await switchyard('keys', 'create', '-a', 'Acme', '-e', 'live', '-p', other.id)).toMatchObject({ code: 1 });
  });

  it('sums usage by project and by metadata', async () => {
    const { id: project } = await json<{ id: string }>('projects', 'create', 'Counted', '-a', 'Acme');
    const odd = `it's "odd".`;
    const keys = [
      await newKey('--project', 'Counted', '--metadata', 'team=red', '--metadata', `${odd}=x`),
      await newKey('--project', 'Counted', '--metadata', 'team=blue'),
      await newKey('--metadata', 'team=red'),
      await newKey(),
    ];
    for (const [index, key] of keys.entries())
      for (let i = 0; i <= index; i++) (await bench.ledger.hold(request(authenticate(key)))).settle(settlement('completed', 1, 0));
    await bench.written();
    const sums = async (...args: string[]) =>
      (await json<Record<string, unknown>[]>('usage', '-a', 'Acme', ...args)).map(({ requests, metadata, ...sum }) => [
        ...(sum['project'] === undefined ? [] : [sum['project']]),
        ...Object.values(metadata ?? {}),
        ...(sum['model'] === undefined ? [] : [sum['model']]),
        requests,
      ]);
    expect(await sums('--by', 'project')).toEqual([
      ['', 7],
      [project, 3],
    ]);
    expect(await sums('--by', `metadata.${odd},model`)).toEqual([
      ['', 'model', 9],
      ['x', 'model', 1],
    ]);
    expect(await sums('--project', 'Counted', '--by', 'model')).toEqual([['model', 3]]);
    expect(await json('usage', '--project', project, '--components')).toMatchObject({ components: expect.anything() });
    expect((await switchyard('usage', '-a', 'Acme', '--by', 'project')).out).toMatch(/^PROJECT +REQUESTS .*\n +7 .*\nCounted +3 .*\n$/);
  });

  it.each([
    [2, ['keys', 'create', '-a', 'Acme', '-e', 'live', '--rules', '{"model":{}}'], 'property model should not exist'],
    [2, ['keys', 'create', '-a', 'Acme', '-e', 'live', '--rules', '{'], 'JSON'],
    [2, ['keys', 'create', '-a', 'Acme', '-e', 'live', '--rules', 'no-such-file'], 'ENOENT'],
    [2, ['keys', 'create', '-a', 'Acme', '-e', 'live', '--address', 'example.com'], 'addresses must be addresses or ranges'],
    [2, ['keys', 'create', '-a', 'Acme', '-e', 'live', '--operation', 'embed'], 'operations'],
    [2, ['keys', 'create', '-a', 'Acme', '-e', 'live', '--rpm', '0'], 'whole number above 0'],
    [2, ['keys', 'create', '-a', 'Acme', '-e', 'live', '--budget', 'week=1'], 'day=1.5'],
    [2, ['keys', 'create', '-a', 'Acme', '-e', 'live', '--budget', 'day=much'], 'budgets.day must be credits'],
    [2, ['keys', 'create', '-a', 'Acme', '-e', 'live', '--metadata', 'team'], 'name=value'],
    [2, ['keys', 'rotate', 'key_nothing', '--grace', 'long'], '90s, 30m, 24h or 7d'],
    [2, ['keys', 'rotate', 'key_nothing', '--grace', '366d'], 'Give at most 365d.'],
    [1, ['keys', 'rotate', 'key_nothing', '--grace', '365d'], 'there is no key'],
    [2, ['usage', '--by', 'metadata.'], 'metadata.<name>'],
    [1, ['keys', 'create', '-a', 'Acme', '-e', 'live', '--metadata', `team=${'x'.repeat(513)}`], 'metadata has at most 16 texts'],
    [1, ['keys', 'create', '-a', 'Acme', '-e', 'live', '-p', 'Nothing'], "there is no project 'Nothing'"],
    [1, ['keys', 'change', 'key_nothing', '--rpm', '5'], "there is no key 'key_nothing'"],
    [1, ['keys', 'rotate', 'key_nothing'], "there is no key 'key_nothing'"],
    [1, ['keys', 'show', 'key_nothing'], "there is no key 'key_nothing'"],
    [1, ['projects', 'change', 'Nothing', '--rpm', '5'], "there is no project 'Nothing'"],
    [1, ['accounts', 'limit', 'Nobody', '--rpm', '5'], "there is no account 'Nobody'"],
  ])('answers %i to %j and says why', async (code, args, reason) => {
    expect(await switchyard(...args)).toMatchObject({ code, out: '', err: expect.stringContaining(reason) });
  });
});
