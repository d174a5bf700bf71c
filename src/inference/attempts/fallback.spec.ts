import { jest } from '@jest/globals';
import { Observable, type Observer } from 'rxjs';
import { ManualClock } from '../../common/testing/manual-clock.js';
import type { AttemptRecord } from '../../common/requests/generation-record.js';
import { ProviderError, type ProviderErrorKind } from '../../providers/contract/provider-error.js';
import type { GenerationChunk } from '../../wire/generation.js';
import type { FallbackHandler } from './fallback-attempt.js';
import { breakerSettings } from '../routing/circuit-breaker.js';
import { Fallback, type FallbackSettings } from './fallback.js';
import { OfferHealth } from '../routing/offer-health.js';
import { RetryBudget } from '../routing/retry-budget.js';
import type { Route } from '../routing/router.service.js';
import fc from 'fast-check';
import { backoff } from './backoff.js';

const clock = new ManualClock();

const chunkOf = (text: string): GenerationChunk => ({ choices: [{ index: 0, text, finish_reason: null }] });

/**
 * What an offer does each time it is asked: words are chunks, `!kind` fails, `...` waits for ever, a number waits that
 * many milliseconds.
 */
type Script = readonly (string | number)[];

function setUp(
  scripts: Record<string, Script | readonly Script[]>,
  settings: Partial<FallbackSettings> = {},
  limits = { max_concurrency: 10, max_queue: 10 },
) {
  const left: string[] = [];
  const asked: string[] = [];
  const records: AttemptRecord[] = [];
  const served: string[] = [];
  const budget = new RetryBudget(0.2, 10);
  const candidates = Object.keys(scripts).map((id) => ({
    offer: { modelId: 'm', provider: { id } },
    health: new OfferHealth(`${id}/m`, limits, undefined, budget, clock),
  })) as unknown as Route[];
  const run = (client: Partial<Observer<GenerationChunk>> = {}, streamed = true) => {
    const asker: FallbackHandler = {
      next: () => undefined,
      error: () => undefined,
      complete: () => undefined,
      ...client,
      account: 'one',
      clock,
      startedAt: clock.monotonic(),
      streamed,
      record: (attempt) => records.push(attempt),
      served: ({ route }) => served.push(route.offer.provider.id),
      ask: ({ route }) =>
        new Observable((subscriber) => {
          const { provider } = route.offer;
          const given = scripts[provider.id]!;
          const times = asked.filter((id) => id === provider.id).length;
          asked.push(provider.id);
          const script = (Array.isArray(given[0]) ? (given[Math.min(times, given.length - 1)] as Script) : given) as Script;
          let over = false;
          void (async () => {
            for (const step of script) {
              await clock.delay(typeof step === 'number' ? step : 0);
              if (over || step === '...') return;
              if (typeof step === 'number') continue;
              if (step.startsWith('!')) {
                over = true;
                subscriber.error(new ProviderError(step.slice(1) as ProviderErrorKind, step, { retryAfterMs: 1 }));
                return;
              }
              subscriber.next(chunkOf(step));
            }
            over = true;
            subscriber.complete();
          })();
          return () => {
            if (!over) left.push(provider.id);
            over = true;
          };
        }),
    };
    const fallback = new Fallback(asker, candidates, { retries: 0, max_retry_wait: 1_000, hedge: false, ...settings }, false);
    fallback.advance();
    return fallback;
  };
  const collect = () => {
    const { promise, resolve } = Promise.withResolvers<{ text: string; error?: unknown }>();
    let text = '';
    run({
      next: ({ choices }) => (text += choices[0]!.text),
      error: (error: unknown) => resolve({ text, error }),
      complete: () => resolve({ text }),
    });
    return clock.advanceUntil(promise, 5);
  };
  return { run, collect, candidates, left, asked, records, served };
}

const outcomes = (records: readonly AttemptRecord[]) => records.map(({ offer, outcome }) => `${offer} ${outcome}`);

describe('Fallback', () => {
  afterEach(() => jest.restoreAllMocks());

  it('asks the next candidate until one answers, and names it', async () => {
    const { collect, records, served } = setUp({ a: ['!overloaded'], b: ['!timeout'], c: ['x', 'y'] });
    expect(await collect()).toEqual({ text: 'xy' });
    expect(outcomes(records)).toEqual(['a/m overloaded', 'b/m timeout', 'c/m served']);
    expect(served).toEqual(['c']);
  });

  it.each(['invalid_request', 'context_length_exceeded', 'content_filtered'] as const)('asks no other candidate after %s', async (kind) => {
    const { collect, asked, candidates } = setUp({ a: [`!${kind}`], b: ['x'] });
    expect(await collect()).toMatchObject({ text: '', error: { kind } });
    expect(asked).toEqual(['a']);
    expect(candidates[0]!.health.circuit.stateFor('one')).toBe('closed');
  });

  it('never changes the candidate after the first chunk', async () => {
    const { collect, asked } = setUp({ a: ['x', '!bad_response'], b: ['y'] });
    expect(await collect()).toMatchObject({ text: 'x', error: { kind: 'bad_response' } });
    expect(asked).toEqual(['a']);
  });

  it('fails with the most informative error when all fail', async () => {
    const { collect } = setUp({ a: ['!unreachable'], b: ['!rate_limited'], c: ['!bad_response'] });
    expect(await collect()).toMatchObject({ error: { kind: 'rate_limited' } });
  });

  it('begins another round after a pause, as often as configured', async () => {
    const { collect, asked } = setUp({ a: [['!overloaded'], ['!overloaded'], ['x']] }, { retries: 2 });
    expect(await collect()).toEqual({ text: 'x' });
    expect(asked).toHaveLength(3);
  });

  it('skips an open circuit, but asks when the circuits of all candidates are open', async () => {
    const { collect, candidates, asked, records } = setUp({ a: ['x'], b: ['y'] });
    for (let i = 0; i < breakerSettings.consecutive; i++) candidates[0]!.health.circuit.failed('one', false);
    expect(await collect()).toEqual({ text: 'y' });
    expect(asked).toEqual(['b']);
    expect(outcomes(records)).toEqual(['a/m circuit_open', 'b/m served']);
    for (let i = 0; i < breakerSettings.consecutive; i++) candidates[1]!.health.circuit.failed('one', false);
    expect(candidates.map(({ health }) => health.circuit.stateFor('one'))).toEqual(['open', 'open']);
    expect(await collect()).toEqual({ text: 'x' });
    expect(candidates.map(({ health }) => health.circuit.stateFor('one'))).toEqual(['closed', 'open']);
  });

  it('fails at once while the only circuit is open', async () => {
    const { collect, candidates, asked } = setUp({ a: ['x'] });
    for (let i = 0; i < breakerSettings.consecutive; i++) candidates[0]!.health.circuit.failed('one', false);
    expect(await collect()).toMatchObject({ error: { kind: 'model_unavailable' } });
    expect(asked).toEqual([]);
  });

  it('queues within the bound and skips a full queue', async () => {
    const { collect, records, candidates } = setUp({ a: [20, 'x'], b: ['y'] }, {}, { max_concurrency: 1, max_queue: 1 });
    const answers = await Promise.all([collect(), collect(), collect()]);
    expect(answers.map(({ text }) => text)).toEqual(['x', 'x', 'y']);
    expect(outcomes(records)).toContain('a/m queue_full');
    expect(candidates[0]!.health.limit.running).toBe(0);
  });

  it.each(['in the queue', 'before the first token', 'in mid-stream', 'between rounds'])(
    'leaves nothing behind when the client leaves %s',
    async (when) => {
      const { run, candidates, left, records } = setUp(
        { a: when === 'in mid-stream' ? ['x', '...'] : when === 'between rounds' ? ['!overloaded'] : ['...'] },
        { retries: 9 },
        { max_concurrency: 1, max_queue: 5 },
      );
      const holder = when === 'in the queue' ? run() : undefined;
      const fallback = run();
      await clock.advance(10);
      fallback.unsubscribe();
      expect(candidates[0]!.health.limit.queued).toBe(0);
      holder?.unsubscribe();
      expect(candidates[0]!.health.limit.running).toBe(0);
      if (when !== 'between rounds') expect(left.length).toBe(1);
      const count = records.length;
      await clock.advance(30);
      expect(records.length).toBe(count);
    },
  );

  it('ends once where the client leaves while a whole answer is passed on', async () => {
    const { run, records, candidates } = setUp({ a: ['x', 'y'] });
    const taken: string[] = [];
    const fallback = run(
      {
        next: ({ choices }) => {
          taken.push(choices[0]!.text!);
          fallback.unsubscribe();
        },
      },
      false,
    );
    await clock.advance(5);
    expect(taken).toEqual(['x']);
    expect(outcomes(records)).toEqual(['a/m client_left']);
    expect(candidates[0]!.health.limit.running).toBe(0);
  });

  it('answers with the faster attempt of a hedge and cancels the other', async () => {
    const { collect, candidates, left, records } = setUp({ a: ['...'], b: ['y'] }, { hedge: true });
    for (let i = 0; i < 20; i++) candidates[0]!.health.observe(5, 10, 10);
    expect(await collect()).toEqual({ text: 'y' });
    expect(left).toEqual(['a']);
    expect(outcomes(records).sort()).toEqual(['a/m lost_hedge', 'b/m served']);
    expect(candidates[0]!.health.circuit.stateFor('one')).toBe('closed');
  });

  it('answers with the late attempt where its hedge is refused for the request', async () => {
    const { collect, candidates, asked, records } = setUp({ a: [60, 'x'], b: ['!context_length_exceeded'], c: ['y'] }, { hedge: true });
    for (let i = 0; i < 20; i++) candidates[0]!.health.observe(5, 10, 10);
    expect(await collect()).toEqual({ text: 'x' });
    expect(asked).toEqual(['a', 'b']);
    expect(outcomes(records)).toEqual(['b/m context_length_exceeded', 'a/m served']);
  });

  it('fails with what the hedge was refused for where the late attempt fails too', async () => {
    const { collect, candidates, asked, records } = setUp(
      { a: [60, '!overloaded'], b: ['!invalid_request'], c: ['y'] },
      { hedge: true, retries: 1 },
    );
    for (let i = 0; i < 20; i++) candidates[0]!.health.observe(5, 10, 10);
    expect(await collect()).toMatchObject({ text: '', error: { kind: 'invalid_request' } });
    expect(asked).toEqual(['a', 'b']);
    expect(outcomes(records)).toEqual(['b/m invalid_request', 'a/m overloaded']);
  });

  it('asks no further candidate after the client has left a hedged request', async () => {
    jest.spyOn(Math, 'random').mockReturnValue(0.3);
    const { run, candidates, asked } = setUp({ a: ['!overloaded'], b: ['!overloaded'] }, { hedge: true, retries: 9 });
    for (let i = 0; i < 20; i++) candidates[0]!.health.observe(40, 50, 10);
    const fallback = run();
    await clock.advance(15);
    fallback.unsubscribe();
    const before = asked.length;
    await clock.advance(90);
    expect(asked).toHaveLength(before);
  });

  it('stops retrying when the budget is spent: an outage adds a fifth to the load', async () => {
    const outage = setUp({ a: ['!rate_limited'], b: ['!rate_limited'] }, { retries: 3 }, { max_concurrency: 1000, max_queue: 10 });
    for (const { health } of outage.candidates) health.circuit.allows = () => true;
    await Promise.all(Array.from({ length: 100 }, () => outage.collect()));
    expect(outage.asked.length).toBeGreaterThan(100);
    expect(outage.asked.length).toBeLessThanOrEqual(100 * 1.2 + 10);
  });
});

describe('backoff', () => {
  it('stays between what the provider asked for and the bound, and grows with each retry', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 60 }),
        fc.nat(60_000),
        fc.double({ min: 0, max: 0.999999, noNaN: true }),
        (retry, after, random) => {
          const wait = backoff(retry, after, () => random);
          expect(wait).toBeGreaterThanOrEqual(after);
          expect(wait).toBeLessThanOrEqual(Math.max(after, 5_000));
        },
      ),
    );
    expect(backoff(1, 0, () => 0.999)).toBeLessThan(backoff(4, 0, () => 0.999));
  });
});

describe('RetryBudget', () => {
  it('lets an outage add a fifth to the load, not multiply it', () => {
    const budget = new RetryBudget(0.2, 10);
    let retries = 0;
    for (let request = 0; request < 1_000; request++) {
      budget.firstAttempt('one');
      for (let attempt = 0; attempt < 5; attempt++) if (budget.spend('one')) retries++;
    }
    expect(retries).toBeGreaterThan(100);
    expect(retries).toBeLessThanOrEqual(1_000 * 0.2 + 10);
  });

  it('leaves half of the reserve to the others, however often one account retries', () => {
    const budget = new RetryBudget(0.2, 10);
    let retries = 0;
    for (let request = 0; request < 10; request++) {
      budget.firstAttempt('greedy');
      while (budget.spend('greedy')) retries++;
    }
    expect(retries).toBeLessThanOrEqual(5 + 10 * 0.2);
    expect(budget.emptyFor('greedy')).toBe(true);
    for (let retry = 0; retry < 4; retry++) expect(budget.spend('another')).toBe(true);
  });

  it('forgives what was taken as first attempts add it again', () => {
    const budget = new RetryBudget(0.2, 10);
    while (budget.spend('one'));
    for (let request = 0; request < 25; request++) budget.firstAttempt(request % 2 === 0 ? 'one' : 'another');
    expect(budget.emptyFor('one')).toBe(false);
    let retries = 0;
    while (budget.spend('one')) retries++;
    expect(retries).toBeGreaterThanOrEqual(2);
  });
});
