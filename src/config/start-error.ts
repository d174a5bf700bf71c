/** A failed start whose cause the operator can mend. It is shown without a stack. */
export class StartError extends Error {
  override name = 'StartError';
}
