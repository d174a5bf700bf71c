import { Redactor } from '../../common/redaction/redactor.js';

/** The lists of secrets are those of endpoints, which live as long as their providers. */
const redactors = new WeakMap<readonly string[], Redactor>();

/** Removes our credentials from a vendor's text: see `Redactor`. */
export function redact(text: string, secrets: readonly string[]): string {
  let redactor = redactors.get(secrets);
  if (!redactor) redactors.set(secrets, (redactor = new Redactor(secrets)));
  return redactor.redact(text);
}
