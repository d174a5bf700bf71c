import type { Hold, Settlement } from '../billing/hold/ledger.js';
import type { CatalogueService } from '../catalogue/catalogue.service.js';
import { Shutdown } from '../common/shutdown.js';
import { configSchema } from '../config/config.schema.js';
import type { ConfigService } from '../config/config.service.js';
import { RequestContext } from '../http/requests/request-context.js';
import type { CompletionGenerationRequest } from '../wire/generation.js';
import { usageOf } from '../wire/usage.js';
import type { AttemptsService } from './attempts/attempts.service.js';
import { type GenerationCall, InferenceService } from './inference.service.js';
import { breakerDefaults } from './routing/circuit-breaker.js';
import { OfferHealth } from './routing/offer-health.js';
import { RetryBudget } from './routing/retry-budget.js';
import type { Route, RouterService } from './routing/router.service.js';

const request: CompletionGenerationRequest = { operation: 'completion', model: 'm', prompt: 'p', stream: true, n: 1, max_tokens: 10 };

describe('InferenceService', () => {
  it.each([
    ['that is there at once', (hold: Hold) => hold],
    ['that is waited for', (hold: Hold) => Promise.resolve(hold)],
  ])('settles a hold %s, and frees the place in the queue, where an attempt cannot begin', async (_name, given) => {
    const settled: Settlement[] = [];
    const hold = { maxTokens: 10, settle: (settlement: Settlement) => (settled.push(settlement), 0n) } as unknown as Hold;
    const health = new OfferHealth('p/m', breakerDefaults, { concurrency: 1, queue: 0 });
    const route = {
      offer: { modelId: 'm', provider: { id: 'p' }, maxTokens: 100, price: { prompt: 1n, completion: 1n } },
      provider: { id: 'p' },
      calls: [{ request, firstIndex: 0, promptBytes: 1, promptBound: 1 }],
      dropped: new Set(),
      health,
    } as unknown as Route;
    const inference = new InferenceService(
      { find: () => ({ id: 'm' }) } as unknown as CatalogueService,
      { routes: () => [route], budgetOf: () => new RetryBudget() } as unknown as RouterService,
      {
        ask: () => {
          throw new Error('broken');
        },
      } as unknown as AttemptsService,
      { hold: () => given(hold) },
      { current: configSchema.parse({}) } as unknown as ConfigService,
      new Shutdown(),
    );
    const call = { principal: { environment: 'live' }, context: new RequestContext('r') } as unknown as GenerationCall;

    const error = await new Promise((resolve) => {
      inference.generate([request], call).subscribe({ next: () => undefined, error: resolve, complete: () => resolve('complete') });
    });

    expect(error).toEqual(new Error('broken'));
    expect(settled).toMatchObject([{ outcome: 'provider_failed', usage: usageOf(0, 0) }]);
    expect(health.limit.running).toBe(0);
  });
});
