import { createSecretKey } from 'node:crypto';
import { DerivedSecrets } from '../auth/derived-secrets.js';
import { TakenError } from '../database/store-error.js';
import { describeEngines } from '../database/testing/describe-engines.js';
import { type StoredProvider, StoredProviderStore } from './stored-provider-store.js';

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
