import { Injectable, Logger, Module, Scope, type Type } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { Test } from '@nestjs/testing';
import { ConfigModule } from '../config/config.module.js';
import { type Config, configSchema, type ProviderConfig } from '../config/config.schema.js';
import { ConfigService } from '../config/config.service.js';
import type { GenerationChunk } from '../wire/generation.js';
import { ModelProvider, PROVIDER_BRAND } from './model-provider.js';
import { ProviderFactory } from './provider-factory.js';
import { ProviderRegistry } from './provider-registry.js';

class NamedProvider extends ModelProvider {
  constructor(
    readonly id: string,
    readonly name = id,
  ) {
    super();
  }

  models() {
    return [];
  }

  async *generate(): AsyncIterable<GenerationChunk> {}
}

@Injectable()
class AlphaProvider extends NamedProvider {
  constructor() {
    super('alpha');
  }
}

@Injectable()
class AnotherAlphaProvider extends NamedProvider {
  constructor() {
    super('alpha');
  }
}

@Injectable({ scope: Scope.REQUEST })
class FleetingProvider extends NamedProvider {
  constructor() {
    super('fleeting');
  }
}

@Injectable()
class OutdatedProvider extends NamedProvider {
  constructor() {
    super('outdated');
  }

  override get [PROVIDER_BRAND]() {
    return 0;
  }
}

@Injectable()
class PickyFactory extends ProviderFactory {
  readonly types = ['picky', 'other-id', 'nothing'];

  create(id: string, { type, api_key }: ProviderConfig) {
    if (type === 'picky') throw new Error(`options.region is missing, the key is ${api_key}\nand more`);
    return (type === 'nothing' ? {} : new NamedProvider(`${id}-2`)) as NamedProvider;
  }
}

@Injectable()
class NamedFactory extends ProviderFactory {
  readonly types = ['openai-compatible'];

  create(id: string, config: ProviderConfig) {
    return new NamedProvider(id, config.name);
  }
}

const config = (providers: Record<string, unknown> = {}): Config => configSchema.parse({ providers });

async function start(classes: Type[], current = config()) {
  @Module({ providers: classes })
  class VendorModule {}
  const module = await Test.createTestingModule({
    imports: [DiscoveryModule, ConfigModule.forRoot(current), VendorModule],
    providers: [ProviderRegistry],
  }).compile();
  await module.init();
  return { module, registry: module.get(ProviderRegistry), configuration: module.get(ConfigService) };
}

const refusal = (classes: Type[], current?: Config) =>
  start(classes, current).then(
    () => 'started',
    (error: Error) => error.message,
  );

describe('ProviderRegistry', () => {
  beforeAll(() => Logger.overrideLogger(false));

  it('finds the providers of modules and those of the configuration', async () => {
    const { registry } = await start(
      [AlphaProvider, NamedFactory],
      config({ local: { base_url: 'http://127.0.0.1:1/v1', name: 'Local' } }),
    );
    expect(registry.all().map(({ id, name }) => [id, name])).toEqual([
      ['alpha', 'alpha'],
      ['local', 'Local'],
    ]);
    expect(registry.get('local')).toBe(registry.all()[1]);
    expect(registry.get('nobody')).toBeUndefined();
  });

  it('refuses duplicate ids, other contract versions, request-scoped providers and unknown types in one error', async () => {
    const message = await refusal(
      [AlphaProvider, AnotherAlphaProvider, FleetingProvider, OutdatedProvider, NamedFactory],
      config({ alpha: { base_url: 'http://127.0.0.1:1' }, odd: { type: 'odd', base_url: 'http://127.0.0.1:1' } }),
    );
    expect(message.match(/two providers have the id 'alpha'/g)).toHaveLength(2);
    expect(message).toContain('FleetingProvider is request-scoped');
    expect(message).toContain('OutdatedProvider was built for contract version 0, this is version 1');
    expect(message).toContain("provider 'odd' has the unknown type 'odd' (known: openai-compatible)");
  });

  it('refuses what a factory refuses, and what is not the provider that it was to make, in one line without a key', async () => {
    const base_url = 'http://127.0.0.1:1';
    const entries = {
      a: { type: 'picky', base_url, api_key: 'sk-secret' },
      b: { type: 'other-id', base_url },
      c: { type: 'nothing', base_url },
    };
    expect(await refusal([PickyFactory], config(entries))).toBe(
      'Providers: providers.a: options.region is missing, the key is [redacted]; ' +
        "providers.b: type 'other-id' made a provider with the id 'b-2'; " +
        "providers.c: type 'nothing' made no provider of contract version 1",
    );
  });

  it('makes changed entries anew when the configuration is replaced and keeps the others', async () => {
    const one = { base_url: 'http://127.0.0.1:1/v1' };
    const { registry, configuration } = await start([AlphaProvider, NamedFactory], config({ kept: one, changed: one, gone: one }));
    const [kept, changed] = [registry.get('kept'), registry.get('changed')];
    let changes = 0;
    const stop = registry.onChange(() => changes++);

    configuration.replace(config({ kept: one, changed: { ...one, name: 'New' }, added: one }));
    expect(registry.all().map(({ id }) => id)).toEqual(['alpha', 'kept', 'changed', 'added']);
    expect(registry.get('kept')).toBe(kept);
    expect(registry.get('changed')).not.toBe(changed);
    expect(changes).toBe(1);

    configuration.replace(config({ kept: one, changed: { ...one, name: 'New' }, added: one }));
    expect(changes).toBe(1);

    stop();
    configuration.replace(config());
    expect(registry.all().map(({ id }) => id)).toEqual(['alpha']);
    expect(changes).toBe(1);
  });

  it('keeps the previous providers when a new configuration cannot be served', async () => {
    const { registry, configuration } = await start([AlphaProvider, NamedFactory]);
    const before = configuration.current;
    const clash = config({ alpha: { base_url: 'http://127.0.0.1:1' } });
    expect(() => configuration.replace(clash)).toThrow("two providers have the id 'alpha'");
    expect(configuration.current).toBe(before);
    expect(registry.all().map(({ id }) => id)).toEqual(['alpha']);
  });

  it('listens no longer once the module is closed', async () => {
    const { module, registry, configuration } = await start([NamedFactory]);
    await module.close();
    configuration.replace(config({ late: { base_url: 'http://127.0.0.1:1' } }));
    expect(registry.all()).toEqual([]);
  });
});
