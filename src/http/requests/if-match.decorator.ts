import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';

/** No row has this version. */
const NONE = -1n;

/**
 * Injects the version that the header If-Match names (RFC 9110, section 13.1.1): undefined where any will do, and one
 * that nothing has where the header is none of our ETags.
 */
export const IfMatch = createParamDecorator((_data: unknown, execution: ExecutionContext) =>
  versionOf(execution.getArgs<[FastifyRequest]>()[0].headers['if-match']),
);

function versionOf(header: string | undefined): bigint | undefined {
  if (header === undefined || header.trim() === '*') return undefined;
  const [, digits] = /^\s*"(\d{1,18})"\s*$/.exec(header) ?? [];
  return digits === undefined ? NONE : BigInt(digits);
}
