import { DeliveryBarrier } from '../../common/delivery-barrier.js';

/** For ledgers without clients. */
export class NoDelivery extends DeliveryBarrier {
  override deliver(): void {}
}
