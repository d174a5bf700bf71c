import { Logger } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { systemClock } from '../common/clock.js';
import { ClockModule } from '../common/clock.module.js';
import { ConfigModule } from '../config/config.module.js';
import { configSchema } from '../config/config.schema.js';
import { declareOptions } from '../config/declared-options.js';
import { providerTypes } from './provider-types.js';
import { ProvidersModule } from './providers.module.js';
import { ProviderRegistry } from './provider-registry.js';

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
