import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { deedOf } from '../auth/administration/deed.decorator.js';
import type { Deed } from '../observability/audit/audit-log.js';

/** Who changes something, and on which condition. */
export interface Change extends Deed {
  /** The change is made only where the row still has this version; undefined: whichever it has. */
  readonly ifVersion?: bigint | undefined;
}

/** No row has this version. */
const NONE = -1n;

/**
 * Injects who makes a change by this request, on the condition that the header If-Match names (RFC 9110, section
 * 13.1.1): none where any version will do, and one that nothing fulfils where the header is none of our ETags.
 */
export const IfMatch = createParamDecorator((_data: unknown, execution: ExecutionContext): Change => {
  const [request] = execution.getArgs<Parameters<typeof deedOf>>();
  return Object.assign(deedOf(request), { ifVersion: versionOf(request.headers['if-match']) });
});

function versionOf(header: string | undefined): bigint | undefined {
  if (header === undefined || header.trim() === '*') return undefined;
  const [, digits] = /^\s*"(\d{1,18})"\s*$/.exec(header) ?? [];
  return digits === undefined ? NONE : BigInt(digits);
}
