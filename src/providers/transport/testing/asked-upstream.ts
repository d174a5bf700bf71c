import { ManualClock } from '../../../common/testing/manual-clock.js';
import { LoopbackUpstream } from '../../testing/loopback-upstream.js';
import { HttpTransport } from '../http-transport.js';
import type { UpstreamRequest } from '../upstream-request.js';
import type { UpstreamResponse } from '../upstream-response.js';
import { requestTo } from './request-to.js';

/** A provider on loopback and a transport that asks it, new for each spec of the `describe` that calls this. */
export function askedUpstream(): AskedUpstream {
  const asked = new AskedUpstream();
  beforeEach(() => asked.start());
  afterEach(() => asked.stop());
  return asked;
}

class AskedUpstream {
  upstream: LoopbackUpstream;
  transport: HttpTransport;
  /** The transport's, which may be moved. */
  clock: ManualClock;

  async start(): Promise<void> {
    this.upstream = await LoopbackUpstream.start();
    this.clock = ManualClock.running();
    this.transport = new HttpTransport(undefined, this.clock);
  }

  async stop(): Promise<void> {
    await this.transport.onApplicationShutdown();
    await this.upstream.stop();
  }

  send(overrides: Partial<UpstreamRequest> = {}): Promise<UpstreamResponse> {
    return this.transport.send(requestTo(this.upstream.origin, overrides));
  }
}
