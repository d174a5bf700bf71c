import { setTimeout as delay } from 'node:timers/promises';
import { LoopbackUpstream, type RecordedRequest } from '../../src/providers/testing/loopback-upstream.js';

/** Bytes of one event, its two line ends included. */
export const EVENT_BYTES = 1_024;

const EVENTS_A_WRITE = 64;
/** Milliseconds between the events of a trickle. */
const PACE = 100;

/** The event that carries the number. */
export function eventOf(number: number): string {
  const head = `data: {"id":"chatcmpl-flood","object":"chat.completion.chunk","created":1,"model":"flood","choices":[{"index":0,"delta":{"content":"${number} `;
  const tail = '"},"finish_reason":null}]}\n\n';
  return head + 'x'.repeat(EVENT_BYTES - head.length - tail.length) + tail;
}

const ending =
  'data: {"id":"chatcmpl-flood","object":"chat.completion.chunk","created":1,"model":"flood","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\n' +
  'data: {"id":"chatcmpl-flood","object":"chat.completion.chunk","created":1,"model":"flood","choices":[],"usage":{"prompt_tokens":1,"completion_tokens":1,"total_tokens":2}}\n\n' +
  'data: [DONE]\n\n';

/**
 * A provider on the loopback that streams as fast as it is read: `max_tokens` events and the end. With `seed` only that
 * many come at once, and the others slowly, so that there is somebody to leave.
 */
export class FloodUpstream {
  /** Answers under way. */
  open = 0;
  /** Answers that were given to their end. */
  finished = 0;
  /** Events of the latest answer that were handed to its connection. */
  sent = 0;

  private constructor(private readonly upstream: LoopbackUpstream) {
    upstream.replies((request) => {
      // A probe asks for the list of models.
      if (request.method !== 'POST') return { status: 404 };
      const { max_tokens: events, seed: atOnce = events } = JSON.parse(request.body) as { max_tokens: number; seed?: number };
      return { headers: { 'content-type': 'text/event-stream' }, pieces: this.#answer(request, events, atOnce) };
    });
  }

  static async start(): Promise<FloodUpstream> {
    return new FloodUpstream(await LoopbackUpstream.start());
  }

  get baseURL(): string {
    return `${this.upstream.origin}/v1`;
  }

  stop(): Promise<void> {
    return this.upstream.stop();
  }

  async *#answer({ closed }: RecordedRequest, events: number, atOnce: number): AsyncGenerator<string, void> {
    this.open++;
    this.sent = 0;
    try {
      for (let number = 0; number < events;) {
        const fast = number < atOnce;
        const end = Math.min(number + (fast ? EVENTS_A_WRITE : 1), fast ? atOnce : events);
        let block = '';
        for (; number < end; number++) block += eventOf(number);
        yield block;
        this.sent = number;
        if (!fast) await Promise.race([delay(PACE), closed]);
      }
      yield ending;
      this.finished++;
    } finally {
      this.open--;
    }
  }
}
