import { ManualClock } from '../common/testing/manual-clock.js';
import { Shutdown } from '../common/shutdown.js';
import type { Ledger } from '../billing/hold/ledger.js';
import { HealthController } from './health.controller.js';

describe('/health/ready', () => {
  const away = 'The store does not answer now.';
  let clock: ManualClock;
  let ledger: { unable: string | undefined };
  let shutdown: Shutdown;
  let health: HealthController;
  beforeEach(() => {
    clock = new ManualClock();
    ledger = { unable: undefined };
    shutdown = new Shutdown();
    health = new HealthController(shutdown, ledger as Ledger, clock);
  });

  const refused = (message: string) => expect(() => health.ready()).toThrow(expect.objectContaining({ status: 503, message }) as Error);

  it('fails with the reason while nothing can be served, and live does not', () => {
    expect(health.ready()).toEqual({ status: 'ready' });
    ledger.unable = away;
    refused(away);
    expect(health.live()).toEqual({ status: 'live' });
  });

  it('changes no more than once in five seconds', async () => {
    ledger.unable = away;
    refused(away);
    ledger.unable = undefined;
    await clock.advance(4_999);
    refused(away);
    await clock.advance(1);
    expect(health.ready()).toEqual({ status: 'ready' });
    ledger.unable = away;
    await clock.advance(4_999);
    expect(health.ready()).toEqual({ status: 'ready' });
    await clock.advance(1);
    refused(away);
  });

  it('fails at once when the process drains', () => {
    ledger.unable = away;
    refused(away);
    shutdown.begin();
    refused('The service is shutting down.');
  });
});
