import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { IndexedSet } from '../../common/indexed-set.js';
import type { EventStream } from './event-stream.js';

/** All open event streams of the process, which share one timer. */
@Injectable()
export class OpenStreams implements OnApplicationShutdown {
  readonly #streams = new IndexedSet<EventStream>();
  #timer: NodeJS.Timeout | undefined;

  get size(): number {
    return this.#streams.size;
  }

  add(stream: EventStream): void {
    this.#streams.add(stream);
    this.#timer ??= setInterval(this.#tick, 1000).unref();
  }

  delete(stream: EventStream): void {
    this.#streams.delete(stream);
    if (this.#streams.size === 0) this.#stop();
  }

  onApplicationShutdown(): void {
    this.#stop();
  }

  readonly #tick = (): void => {
    const now = Date.now();
    for (const stream of this.#streams) stream.tick(now);
  };

  #stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}
