import { get } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { Config } from '../../src/config/config.schema.js';
import type { DeepPartial } from './create-test-app.js';
import { freePort } from './free-port.js';
import type { GatewayProgram, StartedGateway } from './gateway-program.js';
import { framed, type HostileBody } from './hostile-bodies.js';
import { forgetPeak, peakBytes, residentBytes } from './process-figures.js';
import { sendRaw } from './raw-socket.js';

/** What a request has cost a gateway. */
export interface Cost {
  readonly status: number;
  readonly text: string;
  /** On the wire. */
  readonly bytes: number;
  /** Milliseconds of CPU of the main thread. */
  readonly cpu: number;
  /** Milliseconds of CPU of its longest turn of the event loop. */
  readonly longest: number;
  /** Bytes that the process had more at its peak than before. */
  readonly memory: number;
}

/** A gateway that tells what it computes, and how much memory it takes. */
export class MeasuredGateway {
  private constructor(
    private readonly gateway: StartedGateway,
    private readonly meter: number,
  ) {}

  /** @param flags of node, beside those of `npm start` */
  static async start(program: GatewayProgram, settings: DeepPartial<Config>, ...flags: string[]): Promise<MeasuredGateway> {
    const meter = await freePort();
    const preload = `${new URL('turn-meter.mjs', import.meta.url).href}?${meter}`;
    return new MeasuredGateway(await program.start(settings, ['--import', preload, ...flags]), meter);
  }

  stop(): Promise<void> {
    return this.gateway.process.stop();
  }

  async costOf(path: string, body: HostileBody): Promise<Cost> {
    const bytes = framed(body);
    const head =
      `POST ${path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${this.gateway.liveKey}\r\ncontent-type: application/json\r\n` +
      (body.chunk === 0 ? `content-length: ${bytes.length}\r\n\r\n` : 'transfer-encoding: chunked\r\n\r\n');
    const { pid } = this.gateway.process;
    forgetPeak(pid);
    const before = residentBytes(pid);
    await this.#meter('/start');
    const { status, body: text } = await sendRaw(Number(new URL(this.gateway.baseURL).port), [head, bytes], 60_000);
    await delay(20);
    const { cpu, longest } = await this.#meter('/stop');
    return { status, text, bytes: bytes.length, cpu, longest, memory: peakBytes(pid) - before };
  }

  #meter(path: '/start' | '/stop'): Promise<Pick<Cost, 'cpu' | 'longest'>> {
    return new Promise((resolve, reject) => {
      get({ port: this.meter, path, agent: false }, (answer) => {
        let text = '';
        answer.on('data', (chunk: Buffer) => (text += chunk.toString()));
        answer.on('end', () => resolve(JSON.parse(text) as Pick<Cost, 'cpu' | 'longest'>));
      }).on('error', reject);
    });
  }
}
