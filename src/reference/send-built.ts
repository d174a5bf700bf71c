import type { Bytes } from './built-file.js';

/** What a handler needs of the reply that Nest gives it. */
export interface Reply {
  code(status: number): unknown;
  header(name: string, value: string): unknown;
}

/**
 * Answers a file of the build with its ETag; 304 where the client has it.
 * @param known the header If-None-Match
 */
export function sendBuilt({ bytes, etag }: Bytes, known: string | undefined, reply: Reply): Buffer | undefined {
  reply.header('etag', etag);
  reply.header('cache-control', 'no-cache');
  if (known?.split(',').some((one) => one.trim().replace(/^W\//, '') === etag) !== true) return bytes;
  reply.code(304);
  return undefined;
}
