/**
 * Preloaded into a program (`--import file://.../moved-clock.mjs?PORT`): its clock, which a test moves over HTTP. Asked
 * for `/MILLISECONDS` since 1970 it goes on from there, in `Date` and in new UUIDs of version 7. Timers and
 * `performance.now()` know of no date and stay as they are.
 */
import crypto from 'node:crypto';
import { createServer } from 'node:http';
import { syncBuiltinESMExports } from 'node:module';
import { isMainThread } from 'node:worker_threads';

const { now } = Date;
const { randomUUIDv7 } = crypto;
/** Milliseconds. */
let ahead = 0;

Date.now = () => now() + ahead;
globalThis.Date = new Proxy(Date, {
  construct: (target, given, newTarget) => Reflect.construct(target, given.length > 0 ? given : [target.now()], newTarget),
});
crypto.randomUUIDv7 = () => {
  const time = Date.now().toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}${randomUUIDv7().slice(13)}`;
};
syncBuiltinESMExports();

const server = createServer(({ url }, response) => {
  ahead = Number(url.slice(1)) - now();
  // A connection that is kept may be closed just when a test on a busy machine asks again.
  response.setHeader('connection', 'close').end();
});
// It is preloaded into worker threads too.
if (isMainThread) server.listen(Number(new URL(import.meta.url).search.slice(1)), '127.0.0.1').unref();
