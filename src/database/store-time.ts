/**
 * Stands for the time at which a statement is sent to the embedded store, which has no clock of its own.
 * @param later milliseconds that are added
 */
export class StoreTime {
  constructor(readonly later: number) {}
}
