import { Injectable } from '@nestjs/common';

/** What this process has done for webhooks, and what it last saw in the store. */
@Injectable()
export class WebhookFigures {
  /**
   * Messages that were delivered, attempts after which a message comes again, messages that were given up after the last
   * one, and those that were deleted because too many waited.
   */
  readonly deliveries = { delivered: 0, failed: 0, given_up: 0, dropped: 0 };
  waiting: WaitingMessages = { count: 0, oldestMs: 0 };
}

/** The messages in the store that wait for an attempt. */
export interface WaitingMessages {
  readonly count: number;
  /** For how long the oldest has waited; 0 where none waits. */
  readonly oldestMs: number;
}
