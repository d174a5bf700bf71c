import { createSecretKey } from 'node:crypto';
import * as fc from 'fast-check';
import { DerivedSecrets } from '../auth/derived-secrets.js';
import { TakenError } from '../database/store-error.js';
import { describeEngines } from '../database/testing/describe-engines.js';
import { type StoredProvider, StoredProviderStore } from './stored-provider-store.js';
import { changedSettings } from './changed-settings.js';

const secretsOf = (pepper: string) => new DerivedSecrets(createSecretKey(Buffer.from(pepper)));

describeEngines('StoredProviderStore', (open) => {
  it('changes a provider only in the version that was read', async () => {
    const store = new StoredProviderStore(await open(), secretsOf('one'));
    const made = await store.create('one', { api_key: 'k' });
    const changed = (await store.change('one', { settings: { api_key: 'l' } }, { ifVersion: made.version })) as StoredProvider;
    expect(changed.version).toBeGreaterThan(made.version);
    expect(await store.change('one', { settings: { api_key: 'm' } }, { ifVersion: made.version })).toBeUndefined();
    expect(await store.remove('one', { ifVersion: made.version })).toBeUndefined();
    expect(await store.find('one')).toEqual({ ...made, settings: { api_key: 'l' }, version: changed.version });
    await expect(store.create('one', {})).rejects.toThrow(TakenError);
    expect(await store.remove('one')).toEqual(changed);
    expect(await store.list()).toEqual([]);
  });

  it('shows no settings to another pepper, nor under another id', async () => {
    const database = await open();
    const store = new StoredProviderStore(database, secretsOf('one'));
    await store.create('one', { api_key: 'k' });
    await store.create('two', { api_key: 'l' });
    expect((await new StoredProviderStore(database, secretsOf('two')).list()).map(({ settings }) => settings)).toEqual([
      undefined,
      undefined,
    ]);
    const { settings } = await database.db
      .selectFrom('stored_provider')
      .select('settings')
      .where('id', '=', 'one')
      .executeTakeFirstOrThrow();
    await database.db.updateTable('stored_provider').set({ settings }).where('id', '=', 'two').execute();
    expect((await store.list()).map((one) => one.settings)).toEqual([{ api_key: 'k' }, undefined]);
  });
});

const now = { base_url: 'https://one.example', api_key: 'k', headers: { 'x-key': 'h' }, name: 'One', models: {} };
const secretsIn = (settings: object): string[] => [
  ...('api_key' in settings ? ['api_key'] : []),
  ...('headers' in settings && Object.keys(settings.headers as object).length > 0 ? ['headers.x-key'] : []),
];
const change = (wanted: object) => changedSettings(now, wanted as never, secretsIn);

describe('changedSettings', () => {
  it('replaces what is named, and takes away what is null', () => {
    expect(change({ name: 'Two', models: null })).toEqual({ base_url: now.base_url, api_key: 'k', headers: { 'x-key': 'h' }, name: 'Two' });
    expect(change({})).toEqual(now);
  });

  it('wants no secret where the address is the same', () => {
    expect(change({ base_url: now.base_url, name: 'Two' })).toMatchObject({ name: 'Two', api_key: 'k' });
  });

  it('takes another address where every secret is given again, or taken away', () => {
    const base_url = 'https://two.example';
    expect(change({ base_url, api_key: 'k', headers: null })).toEqual({ base_url, api_key: 'k', name: 'One', models: {} });
  });

  it('never takes a secret along to where it was not given for', () => {
    const field = fc.record(
      {
        base_url: fc.constantFrom(now.base_url, 'https://two.example', null),
        type: fc.constantFrom('mistral', null),
        options: fc.constantFrom({}, { region: 'a' }, null),
        headers: fc.constantFrom({ 'x-key': 'h' }, { host: 'two.example' }, {}, null),
        api_key: fc.constantFrom('k', 'other', null),
        name: fc.constantFrom('Two', null),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(field, (wanted) => {
        let next: ReturnType<typeof change>;
        try {
          next = change(wanted);
        } catch (error) {
          expect((error as Error).message).toMatch(/^settings\.(api_key|headers\.x-key) has to be given again/);
          return;
        }
        const { base_url, type, options, headers } = next;
        const moved =
          base_url !== now.base_url ||
          type !== undefined ||
          options !== undefined ||
          JSON.stringify(headers) !== JSON.stringify(now.headers);
        if (moved && next['api_key'] !== undefined) expect(wanted).toHaveProperty('api_key');
        if (moved && secretsIn(next).includes('headers.x-key')) expect(wanted).toHaveProperty('headers');
      }),
    );
  });
});
