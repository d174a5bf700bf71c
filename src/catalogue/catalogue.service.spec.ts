import { jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { ManualClock } from '../common/testing/manual-clock.js';
import { configSchema } from '../config/config.schema.js';
import { ConfigService } from '../config/config.service.js';
import { ModelProvider, type ProviderModel } from '../providers/contract/model-provider.js';
import { ProviderError } from '../providers/contract/provider-error.js';
import type { ProviderRegistry } from '../providers/registry/provider-registry.js';
import { CatalogueService } from './catalogue.service.js';
import { ModelSwitches } from './model-switches.js';
import type { PriceBook } from './price-book.js';
import type { ProviderType } from '../config/provider-type.js';
import { unknownNames } from './unknown-names.js';
import { setImmediate as nextTurn, setTimeout as delay } from 'node:timers/promises';
import { describeEngines } from '../database/testing/describe-engines.js';
import { ModelSwitchStore } from './model-switch-store.js';

class Silent extends ModelProvider {
  readonly id = 'silent';
  readonly name = 'Silent';

  models(): Promise<ProviderModel[]> {
    return new Promise(() => undefined);
  }

  // eslint-disable-next-line require-yield
  async *generate(): AsyncGenerator<never> {
    throw new Error('not asked here');
  }
}

/** @param looked is called when it looks at all providers */
function catalogueOf(providers: readonly ModelProvider[], clock: ManualClock, looked?: () => void): CatalogueService {
  const unchanging = { onChange: () => () => undefined };
  const all = () => (looked?.(), providers);
  const registry = { ...unchanging, all, get: (one: string) => providers.find(({ id }) => id === one) };
  const prices = { ...unchanging, publish: () => Promise.resolve(), inForce: (price: unknown) => price };
  return new CatalogueService(
    registry as unknown as ProviderRegistry,
    new ConfigService(configSchema.parse({})),
    { ...unchanging, all: [] } as unknown as ModelSwitches,
    prices as unknown as PriceBook,
    clock,
  );
}

describe('CatalogueService', () => {
  afterEach(() => jest.restoreAllMocks());

  it('leaves a list that never comes, whatever its signal says, and tells the operator', async () => {
    const provider = new Silent();
    const clock = new ManualClock();
    const warned = new Promise((resolve) => jest.spyOn(Logger.prototype, 'warn').mockImplementation(resolve));
    const catalogue = catalogueOf([provider], clock);
    const started = catalogue.onApplicationBootstrap();
    await clock.advance(11_000);
    await started;
    expect(await warned).toMatchObject({
      msg: 'silent could not list its models: it has not ended within 1 s after its signal aborted',
    });
    catalogue.onModuleDestroy();
  });

  it('logs once why a list cannot be had, and again once the reason is another', async () => {
    const reasons = ['no list', 'no list', 'gone', 'gone', undefined, 'gone'];
    let asked = 0;
    const provider = new Silent();
    provider.models = async () => {
      const reason = reasons[asked++];
      if (reason !== undefined) throw new ProviderError('bad_response', reason);
      return [];
    };
    const warn = jest.spyOn(Logger.prototype, 'warn').mockReturnValue();
    const log = jest.spyOn(Logger.prototype, 'log').mockReturnValue();
    const clock = new ManualClock();
    const catalogue = catalogueOf([provider], clock);
    await catalogue.onApplicationBootstrap();
    for (const wait of [5_000, 5_000, 5_000, 5_000, 300_000]) await clock.advance(wait);
    expect(asked).toBe(reasons.length);
    const lines = ['no list', 'gone', 'gone'].map((reason) => [`silent could not list its models: ${reason}`]);
    expect(warn.mock.calls.filter(([line]) => /could not list/.test(String(line)))).toEqual(lines);
    expect(log.mock.calls).toEqual([['silent lists its models again']]);
    catalogue.onModuleDestroy();
  });

  it('looks at all models a few times, however many providers list theirs', async () => {
    const model = { id: 'm', created: 1, contextLength: 1, maxTokens: 1, capabilities: {}, parameters: [] };
    const looks = async (count: number): Promise<number> => {
      const providers = Array.from({ length: count }, (_, index) => {
        // Some answer at once, the others each in a turn of its own.
        const models = async () => {
          for (let turn = 0; turn < index; turn++) await nextTurn();
          return [model];
        };
        return { id: `p${index}`, name: 'P', models } as unknown as ModelProvider;
      });
      let looked = 0;
      const catalogue = catalogueOf(providers, new ManualClock(), () => looked++);
      await catalogue.onApplicationBootstrap();
      expect([...catalogue.all()][0]!.offers).toHaveLength(count);
      catalogue.onModuleDestroy();
      return looked;
    };
    expect(await looks(60)).toBe(await looks(3));
  });
});

describe('unknownNames', () => {
  const sandbox = { provider: { id: 'sandbox', name: 'Sandbox' } as ModelProvider, models: [], complete: true };
  const saidOf = (type: ProviderType): string[] => {
    const config = configSchema.parse({ models: { m: { offers: [{ provider: type.type }] } } });
    return unknownNames([sandbox], config, [type]).map(({ path, says }) => `${path.join('.')} ${says}`);
  };
  const named = 'models.m.offers.0.provider names the provider cloud, which is not switched on: it needs an entry';

  it('names the variables that would switch a provider on', () => {
    const type = { type: 'cloud', name: 'Cloud', environment: { apiKey: 'CLOUD_KEY', address: 'CLOUD_HOST' } };
    expect(saidOf(type)).toEqual([`${named} or CLOUD_KEY and CLOUD_HOST`]);
    expect(saidOf({ ...type, baseUrl: 'http://cloud' })).toEqual([`${named} or CLOUD_KEY`]);
    expect(saidOf({ ...type, requires: ['CLOUD_REGION', 'CLOUD_PROFILE'] })).toEqual([`${named} or CLOUD_REGION and CLOUD_PROFILE`]);
    expect(saidOf({ type: 'cloud', name: 'Cloud' })).toEqual([named]);
  });

  it('doubts an alias of an alias, and one in auto, whose model a provider with a prefix may list', () => {
    const provider = { id: 'cloud', name: 'Cloud' } as ModelProvider;
    const lists = [sandbox, { provider, models: [], complete: false }];
    const aliases = { fast: 'cloud/m', faster: 'fast', fastest: 'faster', wrong: 'elsewhere/m' };
    const config = configSchema.parse({
      providers: { cloud: { type: 'cloud', base_url: 'http://cloud', prefix: 'cloud/' } },
      routing: { aliases, auto: { models: ['fast', 'faster'] } },
    });
    const refused = unknownNames(lists, config, []).filter(({ sure }) => sure);
    expect(refused.map(({ path }) => path.join('.'))).toEqual(['routing.aliases.wrong']);
  });
});

describeEngines('ModelSwitches', (open) => {
  let operator: ModelSwitchStore;
  let gateway: ModelSwitches;

  beforeAll(async () => {
    operator = new ModelSwitchStore(await open());
    const database = await open();
    gateway = new ModelSwitches(database, new ModelSwitchStore(database));
    await gateway.onModuleInit();
  });

  const seen = async (condition: () => boolean): Promise<boolean> => {
    const deadline = Date.now() + 30_000;
    while (!condition() && Date.now() < deadline) await delay(10);
    return condition();
  };

  it('follows what another process switches, and tells of it', async () => {
    let changes = 0;
    gateway.onChange(() => changes++);
    await operator.disable('m', undefined, 'Back at noon');
    await operator.disable('m', 'a');
    expect(await seen(() => gateway.all.length === 2)).toBe(true);
    expect(gateway.all).toMatchObject([
      { model: 'm', provider: undefined, message: 'Back at noon' },
      { model: 'm', provider: 'a', message: 'Switched off by the operator' },
    ]);
    await operator.disable('m', undefined, 'Back at one');
    expect(await seen(() => gateway.all[0]?.message === 'Back at one')).toBe(true);
    expect(await operator.enable('m', 'a')).toBe(1);
    expect(await operator.enable('m', 'a')).toBe(0);
    expect(await operator.enable('m')).toBe(1);
    expect(await seen(() => gateway.all.length === 0)).toBe(true);
    expect(changes).toBeGreaterThanOrEqual(3);
  });

  it('refuses what is too long or empty', async () => {
    await expect(operator.disable('')).rejects.toThrow(RangeError);
    await expect(operator.disable('m'.repeat(513))).rejects.toThrow(RangeError);
    await expect(operator.disable('m', undefined, 'x'.repeat(501))).rejects.toThrow(RangeError);
  });
});
