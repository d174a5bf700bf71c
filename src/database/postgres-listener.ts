import { setTimeout as sleep } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import { Client, type ClientConfig } from 'pg';
import type { Changes } from './changes.js';

export const CHANNEL = 'switchyard';

/** A broken connection is made again after this time, which doubles with each failure up to the longest. */
const FIRST_WAIT_MS = 50;
const LONGEST_WAIT_MS = 2_000;
/**
 * The interval of looks that make good a lost notice, and of queries that find out whether the connection is still
 * alive.
 */
const BEAT_MS = 5_000;
/** The interval of looks while there is no connection to hear notices on. */
const POLL_MS = 500;
const END_TIMEOUT_MS = 1_000;

/**
 * Listens for other processes' changes on a connection of its own. PostgreSQL keeps no notices for a process that is
 * not connected, so that the listener looks at the counters after each connect.
 */
export class PostgresListener {
  readonly #logger = new Logger('Store');
  readonly #closing = new AbortController();
  #listening = false;
  #running: Promise<void> | undefined;

  constructor(
    private readonly config: ClientConfig,
    private readonly changes: Changes,
  ) {}

  start(): void {
    this.#running ??= Promise.all([this.#listen(), this.#poll()]).then(() => undefined);
  }

  async stop(): Promise<void> {
    this.#closing.abort();
    await this.#running;
  }

  async #listen(): Promise<void> {
    let wait = FIRST_WAIT_MS;
    let told = false;
    while (!this.#closing.signal.aborted) {
      try {
        await this.#connection(() => {
          wait = FIRST_WAIT_MS;
          if (told) this.#logger.log('Told of changes again');
          told = false;
        });
      } catch (error) {
        if (!told) this.#logger.warn(`Not told of changes, looking for them every ${POLL_MS} ms: ${(error as Error).message}`);
        told = true;
      }
      await this.#sleep(wait * (1 + Math.random() / 2));
      wait = Math.min(2 * wait, LONGEST_WAIT_MS);
    }
  }

  /** Listens until the listener is stopped; rejects where the connection breaks. */
  async #connection(listening: () => void): Promise<void> {
    const client = new Client(this.config);
    const broken = new AbortController();
    client.on('error', (error) => broken.abort(error));
    client.on('end', () => broken.abort(new Error('the connection has ended')));
    client.on('notification', ({ payload = '' }) => {
      const [, topic, version] = /^(\w+) (\d+)$/.exec(payload) ?? [];
      void (topic ? this.changes.heard(topic, BigInt(version!)) : this.changes.look());
    });
    try {
      await client.connect();
      await client.query(`listen ${CHANNEL}`);
      this.#listening = true;
      listening();
      while (!this.#closing.signal.aborted) {
        void this.changes.look();
        await this.#sleep(BEAT_MS, broken.signal);
        broken.signal.throwIfAborted();
        await client.query('select 1');
      }
    } finally {
      this.#listening = false;
      await Promise.race([client.end().catch(() => undefined), sleep(END_TIMEOUT_MS, undefined, { ref: false })]);
    }
  }

  async #poll(): Promise<void> {
    while (!this.#closing.signal.aborted) {
      await this.#sleep(POLL_MS);
      if (!this.#listening) await this.changes.look();
    }
  }

  /** Ends early when the listener is stopped or `signal` aborts. */
  async #sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
    const ends = signal ? AbortSignal.any([this.#closing.signal, signal]) : this.#closing.signal;
    await sleep(milliseconds, undefined, { ref: false, signal: ends }).catch(() => undefined);
  }
}
