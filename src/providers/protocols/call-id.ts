import { randomBytes } from 'node:crypto';
import { isText } from './is-text.js';

/** The vendor's id of a tool call, or one that is made where it gives none. */
export function callId(given: unknown): string {
  return isText(given) ? given : `call_${randomBytes(12).toString('hex')}`;
}
