import { Logger } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { systemClock } from '../../common/time/clock.js';
import { ClockModule } from '../../common/time/clock.module.js';
import { ConfigModule } from '../../config/config.module.js';
import { configSchema } from '../../config/config.schema.js';
import { declareOptions, secretOptionsOf } from '../../config/declared-options.js';
import { providerTypes } from './provider-types.js';
import { ProvidersModule } from './providers.module.js';
import { ProviderRegistry } from './provider-registry.js';
import { join } from 'node:path';
import * as z from 'zod';
import { loadProviderModules } from '../modules/load-provider-modules.js';
import { packageFolder, setPackageFolder } from '../modules/package-folder.js';
import { vendorPackage } from '../kit/vendor-package.js';
import { checkProviders } from './check-providers.js';
import { ModelProvider } from '../contract/model-provider.js';

describe('providerTypes', () => {
  beforeAll(() => {
    Logger.overrideLogger(false);
    declareOptions(providerTypes);
  });

  it('are all made by a factory, which gives the provider its name', async () => {
    const options: Readonly<Record<string, object>> = {
      'ai-sdk': { package: '@ai-sdk/mistral' },
      bedrock: { region: 'eu-north-1' },
      vertex: { project: 'p', location: 'europe-north1' },
    };
    const entries = providerTypes.map(({ type }) => [type, { type, base_url: 'http://127.0.0.1:1', options: options[type] }] as const);
    const config = configSchema.parse({ providers: Object.fromEntries(entries) });
    const module = await Test.createTestingModule({
      imports: [ConfigModule.forRoot(config), ClockModule.forRoot(systemClock), ProvidersModule],
    }).compile();
    await module.init();
    const registry = module.get(ProviderRegistry);
    for (const { type, name } of providerTypes) expect(registry.get(type)?.name).toBe(name);
    await module.close();
  });
});

describe('a process that is sent its configuration', () => {
  const before = packageFolder();
  afterAll(() => setPackageFolder(before));

  it('knows the options of the built-in types, and where packages are, whether there are modules or not', async () => {
    const type = { type: 'lock', name: 'Lock', options: z.strictObject({ code: z.string() }), secretOptions: ['code'] };
    const env = { SWITCHYARD_CONFIG: 'conf/switchyard.yaml' };
    expect(await loadProviderModules([], { types: [type], env, cwd: '/srv' })).toEqual([]);
    expect(secretOptionsOf('lock', { code: '4711' })).toEqual(['4711']);
    expect(packageFolder()).toBe(join('/srv', 'conf'));
  });
});

describe('vendorPackage', () => {
  const absent = '@acme/signer';

  it('gives the package', async () => {
    const path = await vendorPackage(['path'], () => import('node:path'));
    expect(path.join('a', 'b')).toBe('a/b');
  });

  it('says what has to be installed', async () => {
    const loaded = vendorPackage([absent, '@acme/frames'], () => import(absent));
    await expect(loaded).rejects.toThrow('it needs packages that are not installed: npm install @acme/signer @acme/frames');
  });

  it('leaves other errors of the package as they are', async () => {
    const broken = new Error('this machine has no such processor');
    await expect(vendorPackage([absent], () => Promise.reject(broken))).rejects.toBe(broken);
  });
});

class ListingProvider extends ModelProvider {
  readonly name = 'Listing';
  readonly generate = () => {
    throw new Error('nobody asks');
  };

  constructor(
    readonly id: string,
    readonly models: ModelProvider['models'],
  ) {
    super();
  }
}

describe('checkProviders', () => {
  const checked = async (models: () => unknown) => {
    const create = (id: string) => new ListingProvider(id, models as ModelProvider['models']);
    const modules = [{ types: [{ type: 'listing', name: 'Listing' }], create }];
    const config = configSchema.parse({ providers: { one: { type: 'listing', base_url: 'http://127.0.0.1:1' } } });
    const lists = await checkProviders({ config, modules });
    return lists.find(({ provider }) => provider.id === 'one')!;
  };

  it('knows the models of a provider that need not ask for them', async () => {
    expect(await checked(() => [{ id: 'm' }])).toMatchObject({ models: [{ id: 'm' }], complete: true });
  });

  it.each([
    ['nothing, because it was not to ask', () => Promise.resolve([])],
    ['no list', () => ({})],
    ['a list with a hole', () => [null]],
  ])('does not believe a provider to be without models that gives %s', async (_, models) => {
    expect(await checked(models)).toMatchObject({ models: [], complete: false });
  });
});
