import { Observable } from 'rxjs';
import type { PromptCount, Settlement } from '../../billing/hold/ledger.js';
import { systemClock } from '../../common/time/clock.js';
import { configSchema } from '../../config/config.schema.js';
import type { ConfigService } from '../../config/config.service.js';
import { RequestContext } from '../../http/requests/request-context.js';
import { ProviderError, type ProviderErrorKind } from '../../providers/contract/provider-error.js';
import { ProvidersInUse } from '../../providers/registry/providers-in-use.js';
import type { CompletionGenerationRequest, GenerationChunk } from '../../wire/generation.js';
import type { AttemptsService } from '../attempts/attempts.service.js';
import { UpstreamMeter } from '../attempts/upstream-meter.js';
import type { AdmittedRequest, GenerationPlan } from '../routing/generation-plan.js';
import { OfferHealth } from '../routing/offer-health.js';
import type { Route } from '../routing/router.service.js';
import { UnpaidLeavings } from './unpaid-leavings.js';
import { Generation, type GenerationSurroundings } from './generation.js';
import { UsageWaits } from './usage-waits.js';

const request: CompletionGenerationRequest = { operation: 'completion', model: 'm', prompt: 'p', stream: true, n: 1, max_tokens: 10 };
const chunkOf = (text: string, finish_reason: 'stop' | null = null): GenerationChunk => ({
  choices: [{ index: 0, text, finish_reason }],
  tokens: 1,
});

const ceiling = { prompt: 1_000, completion: 100, possibleCompletion: 1_000 };

type Script = readonly (GenerationChunk | ProviderErrorKind)[];

/** What a client receives from offers that follow the scripts. */
function generate(scripts: Readonly<Record<string, Script>>, more: Partial<Route> = {}) {
  const seen: string[] = [];
  const asked: string[] = [];
  const counted: PromptCount[] = [];
  let settled: Settlement | undefined;
  let error: unknown;
  const routes = Object.keys(scripts).map((id, index) => ({
    offer: { modelId: 'm', provider: { id }, maxTokens: 100, price: { prompt: BigInt(index + 1), completion: BigInt(9 - index) } },
    provider: { id },
    calls: [{ request, firstIndex: 0, promptBytes: 1, promptBound: 1 }],
    dropped: new Set(),
    health: new OfferHealth(`${id}/m`, { max_concurrency: 10, max_queue: 0 }),
    ...more,
  })) as unknown as [Route, ...Route[]];
  const plan = {
    routes,
    config: configSchema.parse({ routing: { resume: true, retries: 0 } }),
    providers: new ProvidersInUse(),
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
    promptCounted: (prompts: readonly PromptCount[]) => counted.push(...prompts),
    settle: (settlement: Settlement) => ((settled = settlement), 0n),
  };
  const attempts: Pick<AttemptsService, 'ask'> = {
    ask: (_admitted, attempt) =>
      new Observable((subscriber) => {
        const { provider, calls } = attempt.route;
        const meter = new UpstreamMeter(calls[0]!.request, 1, ceiling);
        attempt.meters = [meter];
        const call = calls[0]!.request as CompletionGenerationRequest;
        asked.push(`${provider.id} ${call.prompt as string} ${call.max_tokens}`);
        for (const step of scripts[provider.id]!) {
          if (typeof step === 'string') return subscriber.error(new ProviderError(step, step));
          meter.see(step);
          subscriber.next(step);
        }
        subscriber.complete();
      }),
  };
  const admitted = { plan: plan as unknown as GenerationPlan, hold, context, account: 'one' } as unknown as AdmittedRequest;
  const surroundings: GenerationSurroundings = {
    attempts: attempts as AttemptsService,
    shutdown: { signal: new AbortController().signal },
    waits: new UsageWaits(systemClock),
    leavings: new UnpaidLeavings({ current: configSchema.parse({}) } as ConfigService, systemClock),
    clock: systemClock,
  };
  new Generation(admitted, surroundings, {
    next: ({ choices, usage }) => seen.push(usage ? 'usage' : `${choices[0]!.text}${choices[0]!.finish_reason ? '.' : ''}`),
    error: (cause: unknown) => (error = cause),
    complete: () => undefined,
  }).begin();
  return { seen, asked, counted, settled, error, attempts: context.record.attempts.map(({ offer, outcome }) => `${offer} ${outcome}`) };
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

  it('tells the hold of what changes the price of a prompt, whenever it is told, and once', () => {
    const tier = (text: string, serviceTier: string) => ({ ...chunkOf(text), serviceTier });
    const soFar = (cached_tokens: number) => ({
      ...chunkOf('s'),
      usageSoFar: { prompt_tokens: 100, prompt_tokens_details: { cached_tokens } },
    });
    const told = [
      chunkOf('x'),
      tier('y', 'flex'),
      tier('z', 'flex'),
      tier('u', 'default'),
      soFar(0),
      soFar(0),
      soFar(60),
      chunkOf('', 'stop'),
    ];
    const { counted } = generate({ a: told });
    const [{ prompt_tokens } = { prompt_tokens: 0 }] = counted;
    const details = (cached_tokens: number) => ({ prompt_tokens: 100, prompt_tokens_details: { cached_tokens }, service_tier: 'default' });
    expect(counted).toEqual([
      { prompt_tokens },
      { prompt_tokens, service_tier: 'flex' },
      { prompt_tokens, service_tier: 'default' },
      details(0),
      details(60),
    ]);
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
      error: { code: 'content_policy_violation' },
      settled: { outcome: 'request_failed' },
    });
    expect(generate({ a: [chunkOf('x'), 'unreachable'], b: [chunkOf('y', 'stop')] }, { simulated: true }).seen).toEqual(['x']);
  });

  it('fails with the error that cut the stream where no offer continues it', () => {
    const result = generate({ a: [chunkOf('x'), 'timeout'], b: ['rate_limited'], c: ['invalid_request'] });
    expect(result).toMatchObject({ seen: ['x'], error: { code: 'upstream_timeout' }, settled: { outcome: 'idle_timeout' } });
    expect(result.asked).toHaveLength(3);
  });
});
