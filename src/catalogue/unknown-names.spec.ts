import { configSchema } from '../config/config.schema.js';
import type { ProviderType } from '../config/provider-type.js';
import type { ModelProvider } from '../providers/model-provider.js';
import { unknownNames } from './unknown-names.js';

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
