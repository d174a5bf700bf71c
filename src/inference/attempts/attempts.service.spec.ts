import type { Unsubscribable } from 'rxjs';
import type { LivePerformance } from '../../catalogue/live-performance.js';
import { AnswerBudget } from '../../common/byte-budget.js';
import { systemClock } from '../../common/clock.js';
import { configSchema } from '../../config/config.schema.js';
import { RequestContext } from '../../http/requests/request-context.js';
import type { Traces } from '../../observability/traces.js';
import type { ConfigService } from '../../config/config.service.js';
import { Calibrations } from '../calibration/calibrations.js';
import type { AdmittedRequest } from '../planning/generation-plan.js';
import type { FallbackAttempt } from '../routing/fallback-attempt.js';
import type { Route } from '../routing/router.service.js';
import { AttemptsService } from './attempts.service.js';

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
    const plan = { config: configSchema.parse({}), stream: true };
    const admitted = { plan, hold: {}, context: new RequestContext('r'), account } as unknown as AdmittedRequest;
    const end = service.ask(admitted, { route, record: {} } as FallbackAttempt).subscribe(silent);
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
