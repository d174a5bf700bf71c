import { Injectable, Logger, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { sql } from 'kysely';
import { Clock, type Timer } from '../common/time/clock.js';
import { messageOf } from '../common/message-of.js';
import { Database } from './database.js';

const LOOK_MS = 60_000;

/** Pages that one statement gives back, because the ledger waits while it runs; statements of one look. */
const STEP = 256;
const MAX_STEPS = 1_000;

/** Pages that stay, for what is written next: 4 MiB. */
const KEPT = 1_024;

/** Gives the room of what was deleted back to the disk, on the embedded store; PostgreSQL does so itself. */
@Injectable()
export class FreePages implements OnModuleInit, OnApplicationShutdown {
  readonly #logger = new Logger(FreePages.name);
  #timer: Timer | undefined;
  #closing = false;

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  onModuleInit(): void {
    if (this.database.engine !== 'sqlite') return;
    this.#timer = this.clock.setInterval(() => void this.giveBack(), LOOK_MS).unref();
  }

  onApplicationShutdown(): void {
    this.#closing = true;
    this.clock.clear(this.#timer);
  }

  /** Never rejects. */
  async giveBack(): Promise<void> {
    try {
      let free = await this.#pragma('freelist_count');
      for (let step = 0; step < MAX_STEPS && free > KEPT && !this.#closing; step++) {
        await sql.raw(`pragma incremental_vacuum(${Math.min(STEP, free - KEPT)})`).execute(this.database.db);
        const left = await this.#pragma('freelist_count');
        if (left >= free) break;
        free = left;
      }
    } catch (error) {
      this.#logger.warn(`Free room was not given back to the disk: ${messageOf(error)}`);
    }
  }

  async #pragma(name: string): Promise<number> {
    const { rows } = await sql.raw<Record<string, bigint>>(`pragma ${name}`).execute(this.database.db);
    return Number(rows[0]![name]);
  }
}
