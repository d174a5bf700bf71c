import { keyedNames } from '../planning/testing/keyed-names.js';
import { CatalogueService } from '../../catalogue/catalogue.service.js';
import { ModelSwitches } from '../../catalogue/model-switches.js';
import type { PriceBook } from '../../catalogue/price-book.js';
import { systemClock } from '../../common/time/clock.js';
import type { Price } from '../../common/prices/credits.js';
import { configSchema } from '../../config/config.schema.js';
import { ConfigService } from '../../config/config.service.js';
import { OpenStreams } from '../../http/answers/open-streams.js';
import { RequestContext } from '../../http/requests/request-context.js';
import { OpenRequests } from '../../http/server/open-requests.js';
import { Metrics } from '../../observability/metrics.js';
import { ModelProvider, type ProviderModel } from '../../providers/contract/model-provider.js';
import type { ProviderRegistry } from '../../providers/registry/provider-registry.js';
import type { ChatGenerationRequest } from '../../wire/generation.js';
import { breakerSettings } from './circuit-breaker.js';
import { RouterService } from './router.service.js';
import { IgnoredParameters } from './ignored-parameters.js';

class Listed extends ModelProvider {
  readonly name: string;

  constructor(
    readonly id: string,
    private readonly list: readonly ProviderModel[],
  ) {
    super();
    this.name = id;
  }

  models() {
    return this.list;
  }

  // eslint-disable-next-line require-yield
  async *generate(): AsyncGenerator<never> {
    throw new Error('not asked here');
  }
}

const model = (more: Partial<ProviderModel> = {}): ProviderModel => ({
  id: 'm',
  created: 1,
  price: { prompt: 1, completion: 1 },
  contextLength: 1000,
  maxTokens: 100,
  capabilities: { chat: true, completion: false, function_calling: false, vision: false, embeddings: false, json_mode: false },
  parameters: ['n'],
  ...more,
});

const chat: ChatGenerationRequest = { operation: 'chat', model: 'm', stream: false, n: 1, messages: [{ role: 'user', content: 'hi' }] };

const noBook = {
  inForce: (wanted: Price) => wanted,
  onChange: () => () => undefined,
  publish: async () => undefined,
} as unknown as PriceBook;
const noSwitches = { all: [], onChange: () => () => undefined } as unknown as ModelSwitches;

async function setUp(offers: Record<string, Partial<ProviderModel>>, yaml: object = {}) {
  const providers = Object.entries(offers).map(([id, facts]) => new Listed(id, [model(facts)]));
  const all = [...providers, new Listed('sandbox', [])];
  const registry = {
    all: () => all,
    get: (id: string) => all.find((one) => one.id === id),
    onChange: () => () => undefined,
  } as unknown as ProviderRegistry;
  const config = new ConfigService(configSchema.parse(yaml));
  const catalogue = new CatalogueService(registry, config, noSwitches, noBook, systemClock);
  await catalogue.onApplicationBootstrap();
  const router = new RouterService(registry, config, new Metrics(new OpenRequests(), new OpenStreams()), systemClock, keyedNames);
  router.onModuleInit();
  const routes = (request: ChatGenerationRequest = chat, headers = {}, testMode = false) =>
    router.routes(catalogue.find('m'), [request], testMode, new RequestContext('r', headers), { accountId: 'one' });
  const names = (...args: Parameters<typeof routes>) => routes(...args).map(({ provider }) => provider.id);
  return { catalogue, router, routes, names };
}

describe('RouterService', () => {
  it('keeps the order of the providers unless told otherwise', async () => {
    const { names } = await setUp({ a: {}, b: {} });
    expect(names()).toEqual(['a', 'b']);
  });

  it('takes the strategy from the model, then from the client', async () => {
    const { names } = await setUp({ a: { price: { prompt: 9, completion: 9 } }, b: {} }, { models: { m: { strategy: 'cheapest' } } });
    expect(names()).toEqual(['b', 'a']);
    expect(names(chat, { 'x-switchyard-strategy': 'priority' })).toEqual(['a', 'b']);
  });

  it('asks first where this request costs least, which its length decides', async () => {
    const offers = { a: { price: { prompt: 1, completion: 9 } }, b: { price: { prompt: 5, completion: 1 } } };
    const { names } = await setUp(offers, { routing: { strategy: 'cheapest' } });
    const long = { ...chat, max_tokens: 5, messages: [{ role: 'user' as const, content: 'x'.repeat(900) }] };
    expect([names({ ...chat, max_tokens: 90 }), names(long)]).toEqual([
      ['b', 'a'],
      ['a', 'b'],
    ]);
  });

  it('applies allowed and denied providers and the highest price', async () => {
    const { names } = await setUp({ a: { price: { prompt: '0.5', completion: 2 } }, b: {}, c: {} });
    expect(names(chat, { 'x-switchyard-providers': 'b, a' })).toEqual(['a', 'b']);
    expect(names(chat, { 'x-switchyard-without-providers': 'b' })).toEqual(['a', 'c']);
    expect(names(chat, { 'x-switchyard-max-price': '1' })).toEqual(['b', 'c']);
    expect(names(chat, { 'x-switchyard-max-price': '0.5/2' })).toEqual(['a']);
  });

  it('refuses headers that no offer meets as the mistake of the client, and names them; not so where an offer is away', async () => {
    const { names } = await setUp({ a: {}, b: { status: { active: false, message: 'Back at noon' } } });
    for (const [headers, named] of [
      [{ 'x-switchyard-providers': 'nobody' }, 'x-switchyard-providers'],
      [{ 'x-switchyard-without-providers': 'a,b' }, 'x-switchyard-without-providers'],
      [{ 'x-switchyard-max-price': '0.5' }, 'x-switchyard-max-price'],
      [{ 'x-switchyard-providers': 'b', 'x-switchyard-max-price': '0.5' }, 'x-switchyard-providers and x-switchyard-max-price'],
    ] as const)
      expect(() => names(chat, headers)).toThrow(
        expect.objectContaining({ code: 'invalid_request', status: 400, message: `No offer of the model 'm' meets ${named}` }),
      );
    expect(() => names(chat, { 'x-switchyard-providers': 'b' })).toThrow(
      expect.objectContaining({ status: 503, message: expect.stringContaining('Back at noon') as string }),
    );
  });

  it('refuses invalid headers, and all routing headers where the operator does not allow them', async () => {
    const { names } = await setUp({ a: {} });
    expect(() => names(chat, { 'x-switchyard-strategy': 'best' })).toThrow(expect.objectContaining({ code: 'invalid_request' }));
    expect(() => names(chat, { 'x-switchyard-max-price': 'cheap' })).toThrow(expect.objectContaining({ code: 'invalid_request' }));
    const closed = await setUp({ a: {} }, { routing: { client_headers: false } });
    expect(() => closed.names(chat, { 'x-switchyard-strategy': 'weighted' })).toThrow(
      expect.objectContaining({ code: 'permission_denied' }),
    );
  });

  it('skips offers that do not support the request, and refuses when none does', async () => {
    const { names } = await setUp({ a: {}, b: { parameters: ['n', 'logprobs'] } });
    expect(names({ ...chat, logprobs: true })).toEqual(['b']);
    expect(() => names({ ...chat, logprobs: true, top_logprobs: 1 })).toThrow(expect.objectContaining({ code: 'unsupported_parameter' }));
  });

  it('says why a model is inactive, to test keys too', async () => {
    const { names } = await setUp({ a: { status: { active: false, message: 'Retired in May' } } });
    for (const testMode of [false, true]) {
      expect(() => names(chat, {}, testMode)).toThrow(
        expect.objectContaining({ status: 503, message: expect.stringContaining('Retired in May') }),
      );
    }
  });

  it('keeps a model without a price from live keys and shows it to test keys', async () => {
    const { names } = await setUp({ a: { price: undefined } });
    expect(() => names()).toThrow(expect.objectContaining({ status: 503, message: expect.stringContaining('no price set') }));
    expect(names(chat, {}, true)).toEqual(['sandbox']);
  });

  it('answers a test key from the test provider, once, whatever the offers', async () => {
    const { routes } = await setUp({ a: {}, b: {} });
    expect(routes(chat, {}, true)).toMatchObject([{ provider: { id: 'sandbox' }, offer: { provider: { id: 'a' } }, simulated: true }]);
  });

  it('refuses an operation that no offer has', async () => {
    const { router, catalogue } = await setUp({ a: {} });
    const completion = { operation: 'completion', model: 'm', stream: false, n: 1, prompt: 'p' } as const;
    expect(() => router.routes(catalogue.find('m'), [completion], false, new RequestContext('r'), { accountId: 'one' })).toThrow(
      expect.objectContaining({ code: 'unsupported_model', status: 400 }),
    );
  });

  it('reports paused offers to the catalogue', async () => {
    const { routes, router } = await setUp({ a: {} });
    const [route] = routes();
    expect(router.statusOf(route.offer, 'one')).toBeUndefined();
    for (let i = 0; i < breakerSettings.consecutive; i++) route.health.circuit.failed('one', false);
    expect(router.statusOf(route.offer, 'one')).toEqual({ active: false, message: expect.any(String) });
    expect(router.statusOf(route.offer, 'another')).toBeUndefined();
  });
});

describe('IgnoredParameters', () => {
  it('remembers for ten minutes, one parameter of one account', () => {
    const clock = { now: 0 };
    const ignored = new IgnoredParameters({ now: () => clock.now });
    ignored.add('a', 'logprobs');
    expect([ignored.has('a', 'logprobs'), ignored.has('a', 'n'), ignored.has('b', 'logprobs')]).toEqual([true, false, false]);
    clock.now = 600_000;
    expect(ignored.has('a', 'logprobs')).toBe(false);
  });

  it('forgets the oldest of more than a thousand', () => {
    const ignored = new IgnoredParameters({ now: () => 0 });
    for (let i = 0; i <= 1_000; i++) ignored.add(`${i}`, 'n');
    expect([ignored.has('0', 'n'), ignored.has('1', 'n'), ignored.has('1000', 'n')]).toEqual([false, true, true]);
  });
});
