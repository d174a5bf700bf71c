/** A sentence for the operator that says why a command could not do what it was asked. */
export class CommandError extends Error {
  override name = 'CommandError';
}
