import { Logger } from '@nestjs/common';
import type { DeliveryBarrier } from '../../common/delivery-barrier.js';

const logger = new Logger('Ledger');

/**
 * To be called before a delivery is written down. Whatever goes wrong there is logged, and never keeps the ledger from
 * writing.
 */
export function deliverFirst(barrier: DeliveryBarrier): void {
  try {
    barrier.deliver();
  } catch (error) {
    logger.error(`Answers could not be handed to their sockets: ${(error as Error).message}`);
  }
}
