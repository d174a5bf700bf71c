/**
 * What was written to clients in this turn of the event loop may still wait in memory, so that one write serves all of
 * the turn. Money is charged for what was delivered: whoever writes down what a delivery costs calls this port first.
 * The HTTP layer provides it.
 */
export abstract class DeliveryBarrier {
  /**
   * Hands what was written in this turn of the event loop to the clients' sockets, now. The failure of one response
   * stays its own: nothing is thrown.
   */
  abstract deliver(): void;
}
