import { Injectable, Logger, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { Clock, type Timer } from '../common/time/clock.js';
import { messageOf } from '../common/message-of.js';
import { ConfigService } from '../config/config.service.js';
import { ResponseStore } from './response-store.js';
import { RunningResponses } from './running-responses.js';

const SWEEP_MS = 600_000;
const DAY_MS = 86_400_000;

/** Deletes stored responses whose time is over, also where the operator keeps no new ones. */
@Injectable()
export class ResponseSweep implements OnModuleInit, OnApplicationShutdown {
  readonly #logger = new Logger(ResponseSweep.name);
  #sweeper: Timer | undefined;

  constructor(
    private readonly store: ResponseStore,
    private readonly running: RunningResponses,
    private readonly config: ConfigService,
    private readonly clock: Clock,
  ) {}

  async onModuleInit(): Promise<void> {
    await this.running.recover();
    this.#sweeper = this.clock.setInterval(() => void this.sweep(), SWEEP_MS).unref();
  }

  onApplicationShutdown(): void {
    this.clock.clear(this.#sweeper);
  }

  /** Never rejects. */
  async sweep(): Promise<void> {
    try {
      await this.running.endLost();
      await this.store.sweep(this.clock.now() - this.config.current.store.response_retention * DAY_MS);
    } catch (error) {
      this.#logger.warn(`Old responses were not deleted: ${messageOf(error)}`);
    }
  }
}
