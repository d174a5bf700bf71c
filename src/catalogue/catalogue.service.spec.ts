import { jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { ManualClock } from '../common/testing/manual-clock.js';
import { configSchema } from '../config/config.schema.js';
import { ConfigService } from '../config/config.service.js';
import { ModelProvider, type ProviderModel } from '../providers/model-provider.js';
import type { ProviderRegistry } from '../providers/provider-registry.js';
import { CatalogueService } from './catalogue.service.js';
import type { ModelSwitches } from './model-switches.js';
import type { PriceBook } from './price-book.js';

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

describe('CatalogueService', () => {
  afterEach(() => jest.restoreAllMocks());

  it('leaves a list that never comes, whatever its signal says, and tells the operator', async () => {
    const provider = new Silent();
    const told = { all: () => [provider], get: () => provider, onChange: () => () => undefined };
    const prices = { onChange: () => () => undefined, publish: () => Promise.resolve(), priceOf: () => undefined };
    const switches = { onChange: () => () => undefined, all: [] };
    const clock = new ManualClock();
    const warned = new Promise((resolve) => jest.spyOn(Logger.prototype, 'warn').mockImplementation(resolve));
    const catalogue = new CatalogueService(
      told as unknown as ProviderRegistry,
      new ConfigService(configSchema.parse({})),
      switches as unknown as ModelSwitches,
      prices as unknown as PriceBook,
      clock,
    );
    const started = catalogue.onApplicationBootstrap();
    await clock.advance(11_000);
    await started;
    expect(await warned).toMatchObject({
      msg: 'silent could not list its models: it has not ended within 1 s after its signal aborted',
    });
    catalogue.onModuleDestroy();
  });
});
