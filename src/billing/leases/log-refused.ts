import { Logger } from '@nestjs/common';
import type { Ending } from '../hold/request-facts.js';

const logger = new Logger('Ledger');

/** The store will never take this settlement. What it cost is a loss of the house. */
export function logRefused({ request: { requestId } }: Ending, error: Error): void {
  logger.error(`The settlement of request ${requestId} was refused: ${error.message}`);
}
