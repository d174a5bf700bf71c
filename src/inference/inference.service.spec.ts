import type { Hold, Settlement } from '../billing/hold/ledger.js';
import type { CatalogueService } from '../catalogue/catalogue.service.js';
import { systemClock } from '../common/time/clock.js';
import { Shutdown } from '../common/shutdown.js';
import { configSchema } from '../config/config.schema.js';
import type { ConfigService } from '../config/config.service.js';
import { RequestContext } from '../http/requests/request-context.js';
import type { Admission } from '../limits/admission.js';
import type { LimitsService } from '../limits/limits.service.js';
import type { ProviderRegistry } from '../providers/registry/provider-registry.js';
import { ProvidersInUse } from '../providers/registry/providers-in-use.js';
import type { CompletionGenerationRequest } from '../wire/generation.js';
import { usageOf } from '../wire/usage.js';
import type { AttemptsService } from './attempts/attempts.service.js';
import type { UnpaidLeavings } from './generation/unpaid-leavings.js';
import { UsageWaits } from './generation/usage-waits.js';
import { type GenerationCall, InferenceService } from './inference.service.js';
import { OfferHealth } from './routing/offer-health.js';
import type { Route, RouterService } from './routing/router.service.js';
import { BoundedMap } from './bounded-map.js';

const request: CompletionGenerationRequest = { operation: 'completion', model: 'm', prompt: 'p', stream: true, n: 1, max_tokens: 10 };

const none = () => {
  throw new Error('the key has no limits');
};

function setUp(given: () => Hold | Promise<Hold>, admit: LimitsService['admit'] = none, limits: readonly unknown[] = []) {
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
    { find: () => ({ id: 'm', modelId: 'm', offers: [route.offer] }) } as unknown as CatalogueService,
    { routes: () => [route] } as unknown as RouterService,
    {
      ask: () => {
        throw new Error('broken');
      },
    } as unknown as AttemptsService,
    { unable: undefined, hold: given },
    { current: configSchema.parse({}) } as unknown as ConfigService,
    new Shutdown(),
    new UsageWaits(systemClock),
    { take: () => true } as unknown as UnpaidLeavings,
    { inUse } as unknown as ProviderRegistry,
    { admit } as unknown as LimitsService,
    systemClock,
  );
  const call = { principal: { environment: 'live', rules: { limits } }, context: new RequestContext('r') } as unknown as GenerationCall;
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

  describe('of a key with limits', () => {
    const used: number[] = [];
    const tokens: number[] = [];
    const admission = { settle: (counted: number) => void used.push(counted) } as unknown as Admission;
    const admitted: LimitsService['admit'] = (_, most) => (tokens.push(most), admission);
    const refused = () => {
      throw new Error('no credits');
    };
    beforeEach(() => {
      used.length = 0;
      tokens.length = 0;
    });

    it.each([
      ['the attempts break', () => hold],
      ['the hold is refused at once', refused],
      ['the hold is refused later', () => Promise.resolve().then(refused)],
    ])('takes the worst case and tells once what was used where %s', async (_name, given) => {
      for (const admit of [admitted, (...args: Parameters<typeof admitted>) => Promise.resolve(admitted(...args))]) {
        const { ask, inUse } = setUp(given, admit, [{}]);
        expect(await ask()).toBeInstanceOf(Error);
        await inUse.ended();
      }
      expect(tokens).toEqual([11, 11]);
      expect(used).toEqual([0, 0]);
    });

    it('holds nothing where the limits refuse', async () => {
      const { ask, inUse } = setUp(
        () => hold,
        () => Promise.reject(new Error('limited')),
        [{}],
      );
      expect(await ask()).toEqual(new Error('limited'));
      await inUse.ended();
      expect(settled).toEqual([]);
    });

    it('gives back what a client that has left meanwhile does not use', async () => {
      const later = Promise.withResolvers<Admission>();
      const { inference, call, inUse } = setUp(
        () => hold,
        () => later.promise,
        [{}],
      );
      inference.generate([request], call).subscribe().unsubscribe();
      later.resolve(admission);
      await later.promise;
      await inUse.ended();
      expect(used).toEqual([0]);
      expect(settled).toEqual([]);
    });

    it('gives back where the client leaves while its hold is waited for', async () => {
      const later = Promise.withResolvers<Hold>();
      const { inference, call, inUse } = setUp(() => later.promise, admitted, [{}]);
      inference.generate([request], call).subscribe().unsubscribe();
      later.resolve(hold);
      await inUse.ended();
      expect(used).toEqual([0]);
    });
  });
});

describe('BoundedMap', () => {
  it('forgets what was set first, and nothing for a key that it has', () => {
    const map = new BoundedMap<string, number>(2).set('a', 1).set('b', 2).set('a', 3);
    expect([...map]).toEqual([
      ['a', 3],
      ['b', 2],
    ]);
    expect([...map.set('c', 4).keys()]).toEqual(['b', 'c']);
  });
});
