import { setImmediate as nextTurn } from 'node:timers/promises';
import { Global, Injectable, Logger, Module, Scope, type Type } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { Test } from '@nestjs/testing';
import { systemClock } from '../../common/time/clock.js';
import { ClockModule } from '../../common/time/clock.module.js';
import { ConfigModule } from '../../config/config.module.js';
import { type Config, configSchema, type ProviderConfig } from '../../config/config.schema.js';
import { ConfigService } from '../../config/config.service.js';
import type { GenerationChunk } from '../../wire/generation.js';
import { ClosingProvider } from './closing.js';
import { withoutSecrets } from '../errors/hidden-secrets.js';
import { ModelProvider, PROVIDER_BRAND, type ProviderCall } from '../contract/model-provider.js';
import { ProviderError } from '../contract/provider-error.js';
import { ProviderFactory } from '../kit/provider-factory.js';
import { ProviderFigures } from '../kit/provider-metrics.js';
import { ProviderServicesModule } from '../kit/provider-services.module.js';
import { ProviderRegistry } from './provider-registry.js';
import type { ProviderServices } from '../kit/provider-services.js';
import { type ChunkObserver, PushedChunks } from '../contract/pushed-chunks.js';
import { testCall } from '../testing/call.js';

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

/** Makes providers that have something to close, and refuses a name after it has made one. */
@Injectable()
class ClosingFactory extends ProviderFactory {
  readonly types = ['closing', 'late'];
  readonly closed: string[] = [];
  readonly lent: ProviderServices[] = [];

  async create(id: string, { name = '' }: ProviderConfig, services: ProviderServices) {
    await new Promise((resolve) => setTimeout(resolve, 1));
    if (name === 'bad') throw new Error('bad name');
    this.lent.push(services);
    const { closed } = this;
    return new (class extends NamedProvider {
      readonly #said = 'still here';

      override async *generate(): AsyncIterable<GenerationChunk> {
        yield { choices: [{ index: 0, text: this.#said, finish_reason: null }] };
        yield { choices: [{ index: 0, text: '', finish_reason: 'stop' }] };
      }

      override close() {
        closed.push(`${id} ${name}`);
        if (name === 'rude') throw new Error('not now');
      }
    })(id, name);
  }
}

@Injectable()
class Levels extends ProviderFigures {
  readonly levels = new Set<string>();

  count() {}

  observe() {}

  set(provider: string, name: string) {
    this.levels.add(`${provider} ${name}`);
  }

  forget(provider: string) {
    for (const level of this.levels) if (level.startsWith(`${provider} `)) this.levels.delete(level);
  }
}

@Global()
@Module({ providers: [{ provide: ProviderFigures, useClass: Levels }], exports: [ProviderFigures] })
class LevelsModule {}

/** Makes no provider before two are asked for. */
@Injectable()
class SociableFactory extends ProviderFactory {
  readonly types = ['sociable'];
  readonly asked: string[] = [];
  readonly #both = Promise.withResolvers<void>();

  async create(id: string, { name = '' }: ProviderConfig) {
    if (this.asked.push(id) === 2) this.#both.resolve();
    await this.#both.promise;
    if (name === 'bad') throw new Error('bad name');
    return new NamedProvider(id, name);
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
    imports: [
      DiscoveryModule,
      ConfigModule.forRoot(current),
      ClockModule.forRoot(systemClock),
      LevelsModule,
      ProviderServicesModule,
      VendorModule,
    ],
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

  it('makes all entries at the same time, and tells their mistakes in the order of the configuration', async () => {
    const entry = { type: 'sociable', base_url: 'http://127.0.0.1:1' };
    const { registry } = await start([SociableFactory], config({ a: entry, b: entry }));
    expect(registry.all().map(({ id }) => id)).toEqual(['a', 'b']);

    const bad = { ...entry, name: 'bad' };
    expect(await refusal([SociableFactory], config({ a: bad, b: { ...bad, type: 'odd' }, c: bad }))).toBe(
      "Providers: providers.a: bad name; provider 'b' has the unknown type 'odd' (known: sociable); providers.c: bad name",
    );
  });

  it('makes changed entries anew when the configuration is replaced and keeps the others', async () => {
    const one = { base_url: 'http://127.0.0.1:1/v1' };
    const { registry, configuration } = await start([AlphaProvider, NamedFactory], config({ kept: one, changed: one, gone: one }));
    const [kept, changed] = [registry.get('kept'), registry.get('changed')];
    let changes = 0;
    const stop = registry.onChange(() => changes++);

    await configuration.replace(config({ kept: one, changed: { ...one, name: 'New' }, added: one }));
    expect(registry.all().map(({ id }) => id)).toEqual(['alpha', 'kept', 'changed', 'added']);
    expect(registry.get('kept')).toBe(kept);
    expect(registry.get('changed')).not.toBe(changed);
    expect(changes).toBe(1);

    await configuration.replace(config({ kept: one, changed: { ...one, name: 'New' }, added: one }));
    expect(changes).toBe(1);

    stop();
    await configuration.replace(config());
    expect(registry.all().map(({ id }) => id)).toEqual(['alpha']);
    expect(changes).toBe(1);
  });

  it('keeps the previous providers when a new configuration cannot be served', async () => {
    const { registry, configuration } = await start([AlphaProvider, NamedFactory]);
    const before = configuration.current;
    const clash = config({ alpha: { base_url: 'http://127.0.0.1:1' } });
    await expect(configuration.replace(clash)).rejects.toThrow("two providers have the id 'alpha'");
    expect(configuration.current).toBe(before);
    expect(registry.all().map(({ id }) => id)).toEqual(['alpha']);
  });

  it('waits for a provider that is made asynchronously, and lends it what is its own', async () => {
    const entry = { type: 'closing', base_url: 'http://127.0.0.1:1', api_key: 'sk-of-the-entry' };
    const { module, registry } = await start([ClosingFactory], config({ one: entry, two: entry }));
    expect(registry.all().map(({ id }) => id)).toEqual(['one', 'two']);
    const [one, two] = module.get(ClosingFactory).lent;
    expect(one?.transport).toBe(two?.transport);
    expect(one?.logger).not.toBe(two?.logger);
    expect(typeof one?.facts.of).toBe('function');
    expect(() => one?.metrics.count('calls')).not.toThrow();
    expect(() => one?.hide(undefined as never)).toThrow('hide() takes a text');
    one?.hide('token-that-was-fetched');
    const error = withoutSecrets(registry.get('one')!, new ProviderError('bad_response', 'sk-of-the-entry token-that-was-fetched'));
    expect(error.message).toBe('[redacted] [redacted]');
    const others = withoutSecrets(registry.get('two')!, new ProviderError('bad_response', 'token-that-was-fetched'));
    expect(others.message).toBe('token-that-was-fetched');
  });

  it('closes what has changed or gone after its last answer, and the rest at the end', async () => {
    const entry = (name: string) => ({ type: 'closing', base_url: 'http://127.0.0.1:1', name });
    const { module, registry, configuration } = await start([ClosingFactory], config({ a: entry('1'), b: entry('1'), c: entry('1') }));
    const { closed } = module.get(ClosingFactory);
    const chunks = registry.get('a')!.generate({} as never, {} as never);
    const answer = chunks[Symbol.asyncIterator]();
    expect((await answer.next()).value).toMatchObject({ choices: [{ text: 'still here' }] });

    await configuration.replace(config({ a: entry('2'), b: entry('1') }));
    await nextTurn();
    expect(closed).toEqual(['c 1']);
    while (!(await answer.next()).done);
    await nextTurn();
    expect(closed).toEqual(['c 1', 'a 1']);

    const broken = config({ a: entry('3'), b: entry('bad') });
    await expect(configuration.replace(broken)).rejects.toThrow('providers.b: bad name');
    await nextTurn();
    expect(closed).toEqual(['c 1', 'a 1', 'a 3']);

    await configuration.replace(config({ a: entry('2'), b: entry('rude') }));
    await module.close();
    expect(closed.slice(3)).toEqual(['b 1', 'a 2', 'b rude']);
  });

  it('closes nothing that a request may ask that began before, and waits for it at the end', async () => {
    const entry = (name: string) => ({ type: 'closing', base_url: 'http://127.0.0.1:1', name });
    const { module, registry, configuration } = await start([ClosingFactory], config({ a: entry('1') }));
    const { closed } = module.get(ClosingFactory);
    const first = registry.inUse;
    first.begin();
    await configuration.replace(config({ a: entry('2') }));
    const second = registry.inUse;
    second.begin();
    second.begin();
    await configuration.replace(config({ a: entry('3') }));
    second.end();
    second.end();
    await nextTurn();
    // The first request may not ask the second provider, but it is simpler to close them in order.
    expect(closed).toEqual([]);
    first.end();
    await nextTurn();
    expect(closed).toEqual(['a 1', 'a 2']);

    const last = registry.inUse;
    last.begin();
    await configuration.replace(config({}));
    const ended = module.close();
    last.end();
    await ended;
    expect(closed).toEqual(['a 1', 'a 2', 'a 3']);
  });

  it('forgets the levels of a provider that is gone when it reports no more', async () => {
    const entry = (name: string) => ({ type: 'closing', base_url: 'http://127.0.0.1:1', name });
    const { module, registry, configuration } = await start([ClosingFactory], config({ a: entry('1'), b: entry('1') }));
    const { lent } = module.get(ClosingFactory);
    const { levels } = module.get<Levels>(ProviderFigures);
    const { inUse } = registry;
    inUse.begin();
    await configuration.replace(config({ b: entry('2') }));
    for (const { metrics } of lent) metrics.set('waiting', 1);
    inUse.end();
    await nextTurn();
    expect([...levels]).toEqual(['b waiting']);
    await module.close();
  });

  it('counts the answers that a provider pushes, too', async () => {
    const ended: string[] = [];
    const observers: ChunkObserver[] = [];
    const provider = new (class extends ModelProvider {
      readonly id = 'pushing';
      readonly name = 'Pushing';

      models() {
        return [];
      }

      override generate(_request: unknown, call: ProviderCall): PushedChunks {
        return new PushedChunks(call, (observer) => {
          observers.push(observer);
          return { hold: () => undefined, cancel: () => undefined };
        });
      }

      override close() {
        ended.push('closed');
      }
    })();
    const closing = new ClosingProvider(provider);
    const ask = () => provider.generate({}, testCall()).push({ next() {}, error() {}, complete() {} });
    const [, second] = [ask(), ask(), ask()];
    const done = closing.close();
    observers[0]!.complete();
    second.cancel();
    second.cancel();
    await nextTurn();
    expect(ended).toEqual([]);
    observers[2]!.error(new ProviderError('unreachable', 'gone'));
    await done;
    expect(ended).toEqual(['closed']);
  });

  it('listens no longer once the module is closed', async () => {
    const { module, registry, configuration } = await start([NamedFactory]);
    await module.close();
    await configuration.replace(config({ late: { base_url: 'http://127.0.0.1:1' } }));
    expect(registry.all()).toEqual([]);
  });
});
