import { gzip } from 'node:zlib';
import type { onSendHookHandler, RouteOptions } from 'fastify';
import { acceptsEncoding } from '../requests/accepts-encoding.js';

/** Routes of the administration, its page and the documentation. The page's assets are built compressed. */
const routes = /^\/(admin\/|docs$|docs\/|openapi\.json$|dashboard(\/\*)?$)/;

/** Shorter answers hardly get shorter. */
const MIN_BYTES = 1_024;

/** What files of the build come to: those are the same buffers each time, and everybody may ask for them. */
const files = new WeakMap<object, Buffer>();

/**
 * Has the answers of a route compressed where the client takes that, unless it is one of customers. Streams, such as
 * exports, are not: their readers show how far they have come.
 */
export function compressAnswers(route: RouteOptions): void {
  if (route.method !== 'HEAD' && routes.test(route.url)) route.onSend = compress;
}

const compress: onSendHookHandler = ({ headers }, reply, payload, done) => {
  const text = typeof payload === 'string' || Buffer.isBuffer(payload) ? payload : undefined;
  if (text === undefined || text.length < MIN_BYTES) return done();
  const vary = reply.getHeader('vary');
  void reply.header('vary', vary === undefined ? 'accept-encoding' : `${String(vary)}, accept-encoding`);
  if (!acceptsEncoding(headers['accept-encoding'], 'gzip')) return done();
  void reply.header('content-encoding', 'gzip');
  const made = typeof text === 'string' ? undefined : files.get(text);
  if (made) return done(null, made);
  gzip(text, (_, bytes) => {
    if (typeof text !== 'string') files.set(text, bytes);
    done(null, bytes);
  });
};
