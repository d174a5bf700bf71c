import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { emptyFolder } from '../common/testing/started.js';
import { DerivedSecrets } from '../auth/derived-secrets.js';
import { loadPepper } from '../auth/pepper.js';
import { LedgerBench } from '../billing/testing/ledger-bench.js';
import { StoredProviderStore } from '../provider-store/stored-provider-store.js';
import { runCommand } from './testing/run-command.js';
import { providerTypes } from '../providers/registry/provider-types.js';

const SECRET = 'sk-stored-9f8e7d6c5b4a39281706';

describe('switchyard providers', () => {
  let gateway: LedgerBench;
  let configFile: string;
  let store: StoredProviderStore;

  beforeEach(async () => {
    gateway = await LedgerBench.start();
    const providers = { filed: { base_url: 'https://filed.example/v1', api_key: 'sk-file-13579bdf02468ace' }, both: { type: 'mistral' } };
    configFile = gateway.configFile({ providers });
    const { database } = gateway;
    store = new StoredProviderStore(database, new DerivedSecrets(await loadPepper(gateway.store.config, database)));
    await store.create('added', { type: 'mistral', api_key: SECRET });
    await store.create('both', { api_key: SECRET, base_url: 'https://added.example' });
    await store.create('private', { api_key: SECRET, base_url: 'http://127.0.0.1:1' });
  });
  afterEach(() => gateway.stop());

  const providers = (...args: string[]) => runCommand('providers', ...args, '--config', configFile);

  it('lists those of the file and of the store without their keys', async () => {
    const { code, out, err } = await providers('list', '--json');
    expect([code, err]).toEqual([0, '']);
    expect(
      (JSON.parse(out) as object[]).filter((one) => ['filed', 'both', 'added', 'private'].includes((one as { id: string }).id)),
    ).toEqual([
      expect.objectContaining({ id: 'filed', source: 'file', type: 'openai-compatible', address: 'filed.example', problem: null }),
      expect.objectContaining({ id: 'both', source: 'file', type: 'mistral', problem: null }),
      expect.objectContaining({ id: 'added', source: 'store', type: 'mistral', address: 'api.mistral.ai', problem: null }),
      expect.objectContaining({ id: 'both', source: 'store', problem: 'the file has a provider of this id' }),
      expect.objectContaining({ id: 'private', source: 'store', problem: expect.stringContaining('must not lead to') as string }),
    ]);
    const table = (await providers('list')).out;
    expect(table).toMatch(/^added +store +mistral +api\.mistral\.ai *$/m);
    for (const text of [out, table]) expect(text).not.toMatch(/sk-/);
  });

  it('switches those of the store off and on, and removes them, with a line of the audit log', async () => {
    expect(await providers('disable', 'added', '--message', 'Back at noon')).toMatchObject({ code: 0, out: 'Switched off added.\n' });
    expect(await store.find('added')).toMatchObject({ message: 'Back at noon', settings: { api_key: SECRET } });
    expect((await providers('list')).out).toMatch(/^added .*off: Back at noon$/m);
    expect(await providers('enable', 'added')).toMatchObject({ code: 0, out: 'Switched on added.\n' });
    expect(await providers('enable', 'added')).toMatchObject({ code: 0 });
    expect(await store.find('added')).toMatchObject({ disabledAt: undefined, message: undefined });
    expect(await providers('remove', 'added')).toMatchObject({ code: 0, out: 'Removed added.\n' });
    expect(await store.find('added')).toBeUndefined();
    const lines = await gateway.database.db
      .selectFrom('audit')
      .select(['action', 'fields'])
      .where('subject', '=', 'added')
      .orderBy('id')
      .execute();
    expect(lines).toEqual([
      { action: 'providers disable', fields: '["disabled_at","message"]' },
      { action: 'providers enable', fields: '["disabled_at"]' },
      { action: 'providers remove', fields: '[]' },
    ]);
    for (const command of ['disable', 'enable', 'remove'])
      expect(await providers(command, 'filed')).toMatchObject({
        code: 1,
        err: expect.stringContaining('is of the configuration file, which alone changes it') as string,
      });
  });
});

const providersNew = (...args: string[]) => runCommand('providers', 'new', ...args);

describe('switchyard providers new', () => {
  const folder = emptyFolder();

  it.each(['a', 'acme', 'acme-2-llm', 'a'.repeat(40)])('writes a folder of its own: %s', async (name) => {
    const { code, out, err } = await providersNew(name, '--dir', folder);
    expect([code, err]).toEqual([0, '']);
    expect(out).toContain(join(folder, name));
    expect(readdirSync(join(folder, name))).toEqual(
      expect.arrayContaining([`${name}.provider.ts`, `${name}.provider.spec.ts`, 'index.ts']),
    );
    expect(readFileSync(join(folder, name, `${name}.type.ts`), 'utf8')).toContain(`type: '${name}'`);
  });

  it.each(['Acme', '2go', 'acme_llm', 'acme-', 'a--b', '../acme', 'a/b', '.', '', 'a'.repeat(41)])('refuses the name %j', async (name) => {
    const { code, err } = await providersNew(name, '--dir', folder);
    expect(code).toBe(1);
    expect(err).toMatch(/^switchyard: a provider's name begins with a lower-case letter .*\n$/);
    expect(readdirSync(folder)).toEqual([]);
  });

  it.each([...providerTypes.map(({ type }) => type), 'openai-compatible', 'sandbox', 'testing', 'transport'])(
    'refuses the name %s, which there is already',
    async (name) => {
      // The other folders beside the providers are no types.
      const { code, err } = await providersNew(name, ...(['testing', 'transport'].includes(name) ? [] : ['--dir', folder]));
      expect(code).toBe(1);
      expect(err).toContain('already');
    },
  );

  it('overwrites nothing', async () => {
    await providersNew('acme', '--dir', folder);
    expect(await providersNew('acme', '--dir', folder)).toEqual({
      code: 1,
      out: '',
      err: `switchyard: ${join(folder, 'acme')} is there already\n`,
    });
  });

  it('has a help, and wants a name', async () => {
    expect(await providersNew('--help')).toMatchObject({ code: 0, out: expect.stringContaining('--dir') as string });
    expect(await providersNew()).toMatchObject({ code: 2, err: expect.stringContaining("missing required argument 'name'") as string });
  });
});
