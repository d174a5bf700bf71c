import type { Hold, Settlement } from '../billing/hold/ledger.js';
import type { CatalogueService } from '../catalogue/catalogue.service.js';
import { Shutdown } from '../common/shutdown.js';
import { configSchema } from '../config/config.schema.js';
import type { ConfigService } from '../config/config.service.js';
import { RequestContext } from '../http/requests/request-context.js';
import type { ProviderRegistry } from '../providers/provider-registry.js';
import { ProvidersInUse } from '../providers/providers-in-use.js';
import type { CompletionGenerationRequest } from '../wire/generation.js';
import { usageOf } from '../wire/usage.js';
import type { AttemptsService } from './attempts/attempts.service.js';
import type { UnpaidLeavings } from './generation/unpaid-leavings.js';
import { UsageWaits } from './generation/usage-waits.js';
import { type GenerationCall, InferenceService } from './inference.service.js';
import { OfferHealth } from './routing/offer-health.js';
import type { Route, RouterService } from './routing/router.service.js';

const request: CompletionGenerationRequest = { operation: 'completion', model: 'm', prompt: 'p', stream: true, n: 1, max_tokens: 10 };

function setUp(given: () => Hold | Promise<Hold>) {
  const health = new OfferHealth('p/m', { max_concurrency: 1, max_queue: 0 });
  const route = {
    offer: { modelId: 'm', watchedAs: 'm', provider: { id: 'p' }, maxTokens: 100, price: { prompt: 1n, completion: 1n } },
    provider: { id: 'p' },
    calls: [{ request, firstIndex: 0, promptBytes: 1, promptBound: 1 }],
    dropped: new Set(),
    health,
  } as unknown as Route;
  const inUse = new ProvidersInUse();
  const inference = new InferenceService(
    { find: () => ({ id: 'm', offers: [route.offer] }) } as unknown as CatalogueService,
    { routes: () => [route] } as unknown as RouterService,
    {
      ask: () => {
        throw new Error('broken');
      },
    } as unknown as AttemptsService,
    { hold: given },
    { current: configSchema.parse({}) } as unknown as ConfigService,
    new Shutdown(),
    new UsageWaits(),
    { take: () => true } as unknown as UnpaidLeavings,
    { inUse } as unknown as ProviderRegistry,
  );
  const call = { principal: { environment: 'live' }, context: new RequestContext('r') } as unknown as GenerationCall;
  const ask = () =>
    new Promise((resolve) => {
      inference.generate([request], call).subscribe({ next: () => undefined, error: resolve, complete: () => resolve('complete') });
    });
  return { inference, call, ask, inUse, health };
}

describe('InferenceService', () => {
  const settled: Settlement[] = [];
  const hold = { maxTokens: 10, settle: (settlement: Settlement) => (settled.push(settlement), 0n) } as unknown as Hold;
  beforeEach(() => (settled.length = 0));

  it.each([
    ['that is there at once', () => hold],
    ['that is waited for', () => Promise.resolve(hold)],
  ])('settles a hold %s, and frees the place in the queue, where an attempt cannot begin', async (_name, given) => {
    const { ask, health, inUse } = setUp(given);
    expect(await ask()).toEqual(new Error('broken'));
    expect(settled).toMatchObject([{ outcome: 'provider_failed', usage: usageOf(0, 0) }]);
    expect(health.limit.running).toBe(0);
    await inUse.ended();
  });

  it.each([
    [
      'at once',
      () => {
        throw new Error('no credits');
      },
    ],
    ['later', () => Promise.reject(new Error('no credits'))],
  ])('keeps no provider open for a request whose hold is refused %s', async (_name, given) => {
    const { ask, inUse } = setUp(given);
    expect(await ask()).toEqual(new Error('no credits'));
    await inUse.ended();
  });

  it('keeps no provider open for a client that has left while its hold was waited for', async () => {
    const later = Promise.withResolvers<Hold>();
    const { inference, call, inUse } = setUp(() => later.promise);
    inference.generate([request], call).subscribe().unsubscribe();
    later.resolve(hold);
    await inUse.ended();
    expect(settled).toMatchObject([{ outcome: 'client_left' }]);
  });
});
