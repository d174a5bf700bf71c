/** A start that cannot go on for a reason that its operator can mend: shown as it is, without a stack. */
export class StartError extends Error {
  override name = 'StartError';
}
