import { lastValueFrom, toArray, type Unsubscribable } from 'rxjs';
import { systemClock } from '../../common/time/clock.js';
import { configSchema } from '../../config/config.schema.js';
import { RequestContext } from '../../http/requests/request-context.js';
import { ModelProvider } from '../../providers/contract/model-provider.js';
import { asByteText } from '../../wire/byte-text.js';
import type { ChatGenerationRequest, GenerationChunk, GenerationRequest, TextRun } from '../../wire/generation.js';
import type { AdmittedRequest } from '../routing/generation-plan.js';
import type { Route } from '../routing/router.service.js';
import { asPlanned } from './as-planned.js';
import { Attempt } from './attempt.js';
import { toObservable } from './to-observable.js';
import { UpstreamMeter } from './upstream-meter.js';
import type { LivePerformance } from '../../catalogue/live-performance.js';
import { AnswerBudget } from '../../common/limits/byte-budget.js';
import type { Traces } from '../../observability/traces.js';
import type { ConfigService } from '../../config/config.service.js';
import { Calibrations } from '../calibration/calibrations.js';
import type { FallbackAttempt } from './fallback-attempt.js';
import { AttemptsService } from './attempts.service.js';

class Replays extends ModelProvider {
  readonly id = 'replays';
  readonly name = 'Replays';
  asked: GenerationRequest | undefined;

  constructor(private readonly chunks: readonly GenerationChunk[]) {
    super();
  }

  models() {
    return [];
  }

  async *generate(request: GenerationRequest) {
    this.asked = request;
    yield* this.chunks;
  }
}

const plan = { config: configSchema.parse({}) };
const admitted = { plan, context: new RequestContext('r'), account: 'one' } as unknown as AdmittedRequest;
const watch = { clock: systemClock, failed: () => undefined, completed: () => undefined, keeps: () => true };

async function answer(
  chunks: readonly GenerationChunk[],
  request: GenerationRequest,
  more: { viaChat?: boolean; firstIndex?: number; echo?: string } = {},
) {
  const provider = new Replays(chunks);
  const meter = new UpstreamMeter(request, 0, { prompt: 1_000, completion: 1_000, possibleCompletion: 1_000 });
  const planned = { request, firstIndex: more.firstIndex ?? 0, promptBytes: 0, promptBound: 0, echo: more.echo };
  const route = { provider, offer: { completionsViaChat: more.viaChat ?? false } } as unknown as Route;
  const attempt = new Attempt(admitted, route, request, meter, watch);
  const seen = await lastValueFrom(toObservable(asPlanned(attempt, planned)).pipe(toArray()));
  return { seen, meter, asked: provider.asked };
}

const completion: GenerationRequest = { operation: 'completion', model: 'm', stream: true, n: 1, prompt: 'p' };

const runOf = (head: string, literals: string[], tail: string): TextRun => ({
  head: asByteText(head),
  literals: literals.map(asByteText),
  tail: asByteText(tail),
});

describe('asPlanned', () => {
  it('shifts indexes, also of chunks with the provider’s own text', async () => {
    const run = runOf('"choices":[{"index":0,"delta":{"content":"', ['a'], '"},"finish_reason":null}]}');
    const { seen } = await answer(
      [{ choices: [{ index: 0, finish_reason: null }], run }, { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }],
      { operation: 'chat', model: 'm', stream: true, n: 1, messages: [] },
      { firstIndex: 4 },
    );
    expect(seen).toEqual([
      { choices: [{ index: 4, delta: { content: 'a' }, finish_reason: null }] },
      { choices: [{ index: 4, delta: {}, finish_reason: 'stop' }] },
    ]);
  });

  it('shifts each event of a run, and counts them all', async () => {
    const text = (index: number, content: string) => ({ index, delta: { content }, logprobs: null, finish_reason: null });
    const run = runOf('"choices":[{"index":0,"delta":{"content":"', ['a', '\\n', 'b'], '"},"logprobs":null,"finish_reason":null}]}');
    const { seen, meter } = await answer(
      [{ choices: [text(0, 'a\nb')], run }, { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }],
      { operation: 'chat', model: 'm', stream: true, n: 1, messages: [] },
      { firstIndex: 2 },
    );
    expect(seen.slice(0, 3)).toEqual(['a', '\n', 'b'].map((content) => ({ choices: [text(2, content)] })));
    expect(meter.completionTokens).toBe(3);
  });

  it('puts the echo before the first text and does not count it as generated', async () => {
    const chunks: GenerationChunk[] = [
      { choices: [{ index: 0, text: 'a', finish_reason: null }], tokens: 1 },
      { choices: [{ index: 0, text: 'b', finish_reason: 'stop' }], tokens: 1 },
    ];
    const { seen, meter } = await answer(chunks, completion, { echo: 'prompt ' });
    expect(seen.map(({ choices }) => choices[0]!.text)).toEqual(['prompt a', 'b']);
    expect(meter.completionTokens).toBe(2);
  });

  it('asks a chat model for a completion and converts its deltas into text', async () => {
    const logprobs = {
      content: [{ token: 'ab', logprob: -1, bytes: null, top_logprobs: [{ token: 'ab', logprob: -1, bytes: null }] }],
      refusal: null,
    };
    const chunks: GenerationChunk[] = [
      { choices: [{ index: 0, delta: { role: 'assistant', content: '' }, finish_reason: null }] },
      { choices: [{ index: 0, delta: { content: 'ab' }, logprobs, finish_reason: null }] },
      { choices: [{ index: 0, delta: { content: 'ab' }, logprobs, finish_reason: null }] },
      { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
    ];
    const { seen, asked } = await answer(chunks, { ...completion, logprobs: 1, temperature: 0.5 }, { viaChat: true });
    expect(asked).toEqual({
      operation: 'chat',
      model: 'm',
      stream: true,
      n: 1,
      temperature: 0.5,
      messages: [{ role: 'user', content: 'p' }],
      logprobs: true,
      top_logprobs: 1,
    } satisfies ChatGenerationRequest);
    expect(seen.map(({ choices }) => choices[0]!.text).join('')).toBe('abab');
    expect(seen[2]!.choices[0]!.logprobs).toEqual({ tokens: ['ab'], token_logprobs: [-1], top_logprobs: [{ ab: -1 }], text_offset: [2] });
  });

  it('fails where the response ends without a finish_reason', async () => {
    await expect(answer([{ choices: [{ index: 0, text: 'a', finish_reason: null }] }], completion)).rejects.toMatchObject({
      kind: 'bad_response',
    });
  });
});

describe('AttemptsService', () => {
  const service = new AttemptsService(
    {} as LivePerformance,
    { headersFor: () => undefined } as unknown as Traces,
    new Calibrations({ current: configSchema.parse({}) } as ConfigService),
    new AnswerBudget(),
    systemClock,
  );
  const calls = Array.from({ length: 20 }, () => ({
    request: { operation: 'completion' as const, model: 'm', prompt: '', n: 1, stream: true, max_tokens: 1 },
    firstIndex: 0,
  }));
  const silent = { next: () => undefined, error: () => undefined, complete: () => undefined };

  /** @returns how many calls run, and their end */
  const hold = (account: string): { running: number; end: Unsubscribable } => {
    let running = 0;
    const provider = {
      // eslint-disable-next-line require-yield
      async *generate(_request: unknown, { signal }: { signal: AbortSignal }) {
        running++;
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
      },
    };
    const route = { provider, offer: {}, calls } as unknown as Route;
    const asked = { plan: { ...plan, stream: true }, hold: {}, context: new RequestContext('r'), account } as unknown as AdmittedRequest;
    const end = service.ask(asked, { route, record: {} } as FallbackAttempt).subscribe(silent);
    return { running, end };
  };

  it('makes eight calls of a request at the same time, and one by one where an account has filled its share', () => {
    const held = Array.from({ length: 130 }, () => hold('greedy'));
    expect(held.map(({ running }) => running)).toEqual([...Array.from({ length: 127 }, () => 8), 1, 1, 1]);
    const other = hold('another');
    expect(other.running).toBe(8);
    for (const { end } of [...held, other]) end.unsubscribe();
    const again = hold('greedy');
    expect(again.running).toBe(8);
    again.end.unsubscribe();
  });
});
