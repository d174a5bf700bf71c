/** A sentence for the operator: the command could not do what it was asked. */
export class CommandError extends Error {
  override name = 'CommandError';
}
