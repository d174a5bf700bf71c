import { keyedNames } from '../planning/testing/keyed-names.js';
import { jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import type { CatalogueService } from '../../catalogue/catalogue.service.js';
import { type Offer, offerOf } from '../../catalogue/offer.js';
import { ManualClock } from '../../common/testing/manual-clock.js';
import { configSchema } from '../../config/config.schema.js';
import { ConfigService } from '../../config/config.service.js';
import { OpenStreams } from '../../http/answers/open-streams.js';
import { OpenRequests } from '../../http/server/open-requests.js';
import { Metrics } from '../../observability/metrics.js';
import { ModelProvider, type ProviderModel } from '../../providers/contract/model-provider.js';
import { ProviderError, type ProviderErrorKind } from '../../providers/contract/provider-error.js';
import type { ProviderRegistry } from '../../providers/registry/provider-registry.js';
import { breakerSettings } from './circuit-breaker.js';
import { ProviderProbes } from './provider-probes.js';
import { RouterService } from './router.service.js';

class Probed extends ModelProvider {
  readonly name = 'Probed';
  fails: ProviderErrorKind | undefined;
  probes = 0;

  constructor(readonly id: string) {
    super();
  }

  models() {
    return [];
  }

  override async probe(): Promise<void> {
    this.probes++;
    if (this.fails) throw new ProviderError(this.fails, 'No');
  }

  // eslint-disable-next-line require-yield
  async *generate(): AsyncGenerator<never> {
    throw new Error('not asked here');
  }
}

const model = (id: string, more: Partial<ProviderModel> = {}): ProviderModel => ({
  id,
  created: 1,
  price: { prompt: 1, completion: 1 },
  contextLength: 1000,
  maxTokens: 100,
  capabilities: { chat: true, completion: false, function_calling: false, vision: false, embeddings: false, json_mode: false },
  parameters: [],
  ...more,
});

function setUp(...models: ProviderModel[]) {
  const provider = new Probed('a');
  const offers = (models.length > 0 ? models : [model('m'), model('n')]).map((one) => offerOf(provider, one));
  const catalogue = { all: () => offers.map((offer) => ({ id: offer.modelId, offers: [offer] })) } as unknown as CatalogueService;
  const config = new ConfigService(configSchema.parse({}));
  const clock = new ManualClock();
  const router = new RouterService({} as ProviderRegistry, config, new Metrics(new OpenRequests(), new OpenStreams()), clock, keyedNames);
  const probes = new ProviderProbes(catalogue, router, config, clock);
  const rounds = async (times: number) => {
    for (let round = 0; round < times; round++) await probes.round();
  };
  const state = (offer: Offer | undefined) => router.knownHealthOf(offer!)?.circuit.state;
  const attempt = (offer: Offer | undefined, account = 'one') => {
    const health = router.healthOf(offer!);
    const trial = health.begin(account);
    return { succeeded: () => health.circuit.succeeded(account, trial), failed: () => health.circuit.failed(account, trial) };
  };
  return { provider, offers, router, probes, rounds, state, attempt, clock };
}

describe('ProviderProbes', () => {
  it('probes a provider once a round while its offers have no traffic', async () => {
    const { provider, offers, rounds, attempt } = setUp();
    await rounds(2);
    expect(provider.probes).toBe(2);
    attempt(offers[1]).succeeded();
    await rounds(1);
    expect(provider.probes).toBe(2);
    await rounds(1);
    expect(provider.probes).toBe(3);
  });

  it('does not probe while an attempt runs', async () => {
    const { provider, offers, router, rounds } = setUp();
    router.healthOf(offers[0]!).limit.enter({ account: 'one', begin: () => undefined });
    await rounds(3);
    expect(provider.probes).toBe(0);
  });

  it('never probes for simulated or inactive offers', async () => {
    const retired = { active: false, message: 'Retired' };
    const { provider, rounds } = setUp(model('m', { simulated: true }), model('n', { status: retired }), model('o', { price: undefined }));
    await rounds(2);
    expect(provider.probes).toBe(0);
  });

  it.each(['unreachable', 'timeout'] as const)('pauses all offers of a provider whose probes fail in a row: %s', async (kind) => {
    const { provider, offers, router, rounds, state } = setUp();
    provider.fails = kind;
    await rounds(breakerSettings.consecutive - 1);
    expect(offers.map(state)).toEqual(['closed', 'closed']);
    await rounds(1);
    expect(offers.map(state)).toEqual(['open', 'open']);
    expect(router.statusOf(offers[0]!, 'one')).toMatchObject({ active: false });
  });

  it.each(['authentication', 'insufficient_quota', 'overloaded'] as const)(
    'believes %s only from who has answered before',
    async (kind) => {
      const { provider, offers, rounds, state } = setUp();
      provider.fails = kind;
      await rounds(breakerSettings.consecutive);
      expect(offers.map(state)).toEqual([undefined, undefined]);
      provider.fails = undefined;
      await rounds(1);
      provider.fails = kind;
      await rounds(breakerSettings.consecutive);
      expect(offers.map(state)).toEqual(['open', 'open']);
    },
  );

  it.each(['rate_limited', 'model_unavailable', 'bad_response', 'invalid_request'] as const)('ignores %s', async (kind) => {
    const { provider, offers, rounds, state } = setUp();
    await rounds(1);
    provider.fails = kind;
    await rounds(2 * breakerSettings.consecutive);
    expect(offers.map(state)).toEqual([undefined, undefined]);
  });

  it('lets a request through as soon as the provider answers again', async () => {
    const { provider, offers, rounds, state, attempt } = setUp();
    provider.fails = 'unreachable';
    await rounds(breakerSettings.consecutive);
    provider.fails = undefined;
    await rounds(1);
    expect(offers.map(state)).toEqual(['half_open', 'half_open']);
    attempt(offers[0]).succeeded();
    expect(offers.map(state)).toEqual(['closed', 'half_open']);
  });

  it('does not shorten the pause of an offer that fails while its provider answers probes', async () => {
    const { offers, rounds, state, attempt } = setUp();
    for (let failure = 0; failure < breakerSettings.consecutive; failure++) attempt(offers[0], `${failure}`).failed();
    await rounds(3);
    expect(state(offers[0])).toBe('open');
  });

  it('probes at once where one account’s requests fail, and pauses the offer for all where the provider is silent', async () => {
    const { provider, offers, router, probes, state, attempt } = setUp();
    probes.onApplicationBootstrap();
    provider.fails = 'unreachable';
    for (let failure = 0; failure < breakerSettings.consecutive; failure++) attempt(offers[0]).failed();
    await new Promise(setImmediate);
    expect(provider.probes).toBe(1);
    expect(offers.map(state)).toEqual(['open', 'closed']);
    expect(router.statusOf(offers[0]!, 'another')).toMatchObject({ active: false });
    probes.onModuleDestroy();
  });

  it('leaves an offer to the others where one account’s requests fail and the provider answers, probing it once in a while', async () => {
    const { provider, offers, router, probes, state, attempt } = setUp();
    probes.onApplicationBootstrap();
    for (let failure = 0; failure < 5 * breakerSettings.consecutive; failure++) attempt(offers[failure % 2], `${failure % 2}`).failed();
    await new Promise(setImmediate);
    expect(provider.probes).toBe(1);
    expect(offers.map(state)).toEqual(['closed', 'closed']);
    expect(router.statusOf(offers[0]!, '0')).toMatchObject({ active: false });
    expect(router.statusOf(offers[0]!, '1')).toBeUndefined();
    probes.onModuleDestroy();
  });

  it('probes where one offer is paused, whatever the traffic of the others', async () => {
    const { provider, offers, rounds, attempt } = setUp();
    for (let failure = 0; failure < breakerSettings.consecutive; failure++) attempt(offers[0], `${failure}`).failed();
    attempt(offers[1]).succeeded();
    await rounds(1);
    expect(provider.probes).toBe(1);
  });
});

describe('A probe that throws what is no ProviderError', () => {
  afterEach(() => jest.restoreAllMocks());

  it('is logged once with its stack, and says nothing about the provider', async () => {
    const { provider, rounds, state, offers } = setUp();
    provider.probe = () => Promise.reject(new TypeError('a field of undefined'));
    const warned = jest.spyOn(Logger.prototype, 'warn').mockImplementation(() => undefined);
    await rounds(3);
    expect(warned.mock.calls).toEqual([
      [{ msg: 'a cannot be probed: a field of undefined', err: expect.objectContaining({ message: 'a field of undefined' }) }],
    ]);
    expect(state(offers[0])).toBeUndefined();
  });

  it('and one that never ends, whatever its signal says, keeps no other provider from being probed', async () => {
    const { provider, rounds, clock } = setUp();
    provider.probe = () => new Promise(() => undefined);
    const warned = jest.spyOn(Logger.prototype, 'warn').mockImplementation(() => undefined);
    const all = rounds(2);
    for (let round = 0; round < 2; round++) await clock.advance(11_000);
    await all;
    const msg = 'a cannot be probed: it has not ended within 1 s after its signal aborted';
    expect(warned.mock.calls).toContainEqual([expect.objectContaining({ msg })]);
  });
});
