import { Observable } from 'rxjs';
import type { Settlement } from '../../billing/hold/ledger.js';
import { configSchema } from '../../config/config.schema.js';
import { RequestContext } from '../../http/requests/request-context.js';
import { ProviderError, type ProviderErrorKind } from '../../providers/provider-error.js';
import type { CompletionGenerationRequest, GenerationChunk } from '../../wire/generation.js';
import type { AdmittedRequest, AttemptsService } from '../attempts/attempts.service.js';
import type { GenerationPlan } from '../planning/generation-plan.js';
import { breakerDefaults } from '../routing/circuit-breaker.js';
import { OfferHealth } from '../routing/offer-health.js';
import { RetryBudget } from '../routing/retry-budget.js';
import type { Route, RouterService } from '../routing/router.service.js';
import { Generation } from './generation.js';

const request: CompletionGenerationRequest = { operation: 'completion', model: 'm', prompt: 'p', stream: true, n: 1, max_tokens: 10 };
const chunkOf = (text: string, finish_reason: 'stop' | null = null): GenerationChunk => ({
  choices: [{ index: 0, text, finish_reason }],
  tokens: 1,
});

type Script = readonly (GenerationChunk | ProviderErrorKind)[];

/** What a client receives from offers that follow the scripts. */
function generate(scripts: Readonly<Record<string, Script>>, more: Partial<Route> = {}) {
  const seen: string[] = [];
  const asked: string[] = [];
  let settled: Settlement | undefined;
  let error: unknown;
  const routes = Object.keys(scripts).map((id, index) => ({
    offer: { modelId: 'm', provider: { id }, maxTokens: 100, price: { prompt: BigInt(index + 1), completion: BigInt(9 - index) } },
    provider: { id },
    calls: [{ request, firstIndex: 0, promptBytes: 1, promptBound: 1 }],
    dropped: new Set(),
    health: new OfferHealth(`${id}/m`, breakerDefaults, { concurrency: 10, queue: 0 }),
    ...more,
  })) as unknown as [Route, ...Route[]];
  const plan = {
    routes,
    config: configSchema.parse({ routing: { resume: true, retries: 0 } }),
    stream: true,
    operation: 'completion',
    requestedTokens: 10,
  };
  const context = new RequestContext('r');
  context.record = { operation: 'completion', model: 'm', streamed: true, attempts: [], dropped: new Set() };
  const hold = {
    maxTokens: 10,
    progress: () => undefined,
    servedAt: () => undefined,
    settle: (settlement: Settlement) => ((settled = settlement), 0n),
  };
  const attempts: Pick<AttemptsService, 'ask'> = {
    ask: (_context, { provider, calls }, _attempt, [meter]) =>
      new Observable((subscriber) => {
        const call = calls[0]!.request as CompletionGenerationRequest;
        asked.push(`${provider.id} ${call.prompt} ${call.max_tokens}`);
        for (const step of scripts[provider.id]!) {
          if (typeof step === 'string') return subscriber.error(new ProviderError(step, step));
          meter!.see(step);
          subscriber.next(step);
        }
        subscriber.complete();
      }),
  };
  const router = { budgetOf: () => new RetryBudget() } as unknown as RouterService;
  const admitted = { plan: plan as unknown as GenerationPlan, hold, context } as unknown as AdmittedRequest;
  const shutdown = { signal: new AbortController().signal };
  new Generation(admitted, router, attempts as AttemptsService, shutdown, {
    next: ({ choices, usage }) => seen.push(usage ? 'usage' : `${choices[0]!.text}${choices[0]!.finish_reason ? '.' : ''}`),
    error: (cause: unknown) => (error = cause),
    complete: () => undefined,
  }).begin();
  return { seen, asked, settled, error, attempts: context.record.attempts.map(({ offer, outcome }) => `${offer} ${outcome}`) };
}

describe('Generation', () => {
  it('asks the next offer for the rest of a cut stream, and charges the lower of each price', () => {
    const result = generate({ a: [chunkOf('x'), chunkOf('y'), 'bad_response'], b: [chunkOf('z'), chunkOf('', 'stop')] });
    expect(result.seen).toEqual(['x', 'y', 'z', '.', 'usage']);
    expect(result.asked).toEqual(['a p 10', 'b pxy 8']);
    expect(result.settled).toMatchObject({
      outcome: 'completed',
      provider: 'b',
      price: { prompt: 1n, completion: 8n },
      usage: { completion_tokens: 4 },
    });
    expect(result.attempts).toEqual(['a/m bad_response', 'b/m served']);
  });

  it('completes where the choice had ended before the stream was cut', () => {
    const result = generate({ a: [chunkOf('x'), chunkOf('', 'stop'), 'unreachable'], b: [chunkOf('more')] });
    expect(result.seen).toEqual(['x', '.', 'usage']);
    expect(result.asked).toEqual(['a p 10']);
    expect(result.settled).toMatchObject({ outcome: 'completed', estimated: true });
  });

  it('does not continue where the error is the request’s, or failures are simulated', () => {
    expect(generate({ a: [chunkOf('x'), 'content_filtered'], b: [chunkOf('y', 'stop')] })).toMatchObject({
      seen: ['x'],
      error: { code: 'content_filtered' },
      settled: { outcome: 'provider_failed' },
    });
    expect(generate({ a: [chunkOf('x'), 'unreachable'], b: [chunkOf('y', 'stop')] }, { simulated: true }).seen).toEqual(['x']);
  });

  it('fails with the error that cut the stream where no offer continues it', () => {
    const result = generate({ a: [chunkOf('x'), 'timeout'], b: ['rate_limited'], c: ['invalid_request'] });
    expect(result).toMatchObject({ seen: ['x'], error: { code: 'upstream_timeout' }, settled: { outcome: 'idle_timeout' } });
    expect(result.asked).toHaveLength(3);
  });
});
