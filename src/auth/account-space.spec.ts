import { configSchema } from '../config/config.schema.js';
import { ConfigService } from '../config/config.service.js';
import { started } from '../common/testing/started.js';
import { describeEngines } from '../database/testing/describe-engines.js';
import { AccountStore } from './account-store.js';
import { ApiKeyHasher } from './api-key-hasher.js';
import { ApiKeyStore } from './api-key-store.js';
import { loadPepper } from './pepper.js';
import { ProjectStore } from './project-store.js';

describeEngines('the rules of keys and projects that have ended', (open) => {
  const database = started(open);
  const config = configSchema.parse({
    keys: { pepper: 'p'.repeat(32) },
    limits: { keys_per_account: 2, rules_per_account: 1_050 },
  });
  const rules = { models: { allow: ['x'.repeat(250)] } };

  async function account() {
    const { id: accountId } = await new AccountStore(database).create(crypto.randomUUID());
    const settings = new ConfigService(config);
    const keys = new ApiKeyStore(database, new ApiKeyHasher(await loadPepper(config, database)), settings);
    return { accountId, keys, projects: new ProjectStore(database, settings) };
  }

  it('are not stored any more; their metadata is, up to a kilobyte', async () => {
    const { accountId, keys, projects } = await account();
    const metadata = { team: 'search' };
    const { apiKey } = await keys.create({ accountId, environment: 'live', rules, metadata });
    expect(await keys.revoke(apiKey.id)).toMatchObject({ rules: {}, metadata });
    const { apiKey: large } = await keys.create({ accountId, environment: 'live', metadata: { a: 'é'.repeat(256), b: 'é'.repeat(257) } });
    expect(await keys.revoke(large.id)).toMatchObject({ metadata: {} });
    const project = await projects.create({ accountId, name: 'old', rules });
    expect(await projects.archive(project.id)).toMatchObject({ rules: {} });
    const stored = (table: 'api_key' | 'project') =>
      database.db.selectFrom(table).select(['rules', 'rules_bytes']).where('account_id', '=', accountId).orderBy('rules_bytes').execute();
    const nothing = { rules: null, rules_bytes: 0n };
    expect(await stored('api_key')).toEqual([nothing, { ...nothing, rules_bytes: BigInt(JSON.stringify(metadata).length) }]);
    expect(await stored('project')).toEqual([nothing]);
  });

  it('count for a day more where a key has expired, and a key that is to be valid again needs room', async () => {
    const { accountId, keys } = await account();
    const create = (more: object) => keys.create({ accountId, environment: 'live', ...more });
    const [day, now] = [86_400_000, database.now()];
    const { apiKey: expired } = await create({ rules, expiresAt: now - 2 * day });
    for (const expiresAt of [now - day / 2, now - 1, undefined]) await create({ rules, expiresAt });
    await expect(create({ rules })).rejects.toThrow('(limits.rules_per_account)');
    const { apiKey: valid } = await create({});
    for (const expiresAt of [null, now + day])
      await expect(keys.change(expired.id, { expiresAt })).rejects.toThrow('(limits.keys_per_account)');
    await keys.change(expired.id, { expiresAt: now - 3 * day });
    await keys.revoke(valid.id);
    await expect(keys.change(expired.id, { expiresAt: null })).rejects.toThrow('(limits.rules_per_account)');
  });
});
