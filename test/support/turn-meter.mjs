/**
 * Preloaded into a program (`--import file://.../turn-meter.mjs?PORT`): tells over HTTP how much its main thread
 * computes. `/start` begins; `/stop` ends and answers `{ cpu, longest }`: milliseconds of CPU in all, and in the
 * longest turn of the event loop. While it measures the loop never waits, so that each turn is seen. With `--expose-gc`
 * it collects all garbage first.
 */
import { createServer } from 'node:http';
import { isMainThread } from 'node:worker_threads';

/** Milliseconds of CPU; a turn that takes less is one in which nothing happened. */
const IDLE = 0.1;

const computed = () => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
};

let measuring = false;
let last = 0;
let cpu = 0;
let longest = 0;

function turn() {
  const now = computed();
  const spent = now - last;
  last = now;
  longest = Math.max(longest, spent);
  if (spent > IDLE) cpu += spent;
  if (measuring) setImmediate(turn);
}

const server = createServer(({ url }, response) => {
  measuring = url === '/start';
  if (measuring) {
    globalThis.gc?.();
    [cpu, longest, last] = [0, 0, computed()];
    setImmediate(turn);
  }
  response.end(JSON.stringify({ cpu, longest }));
});
// It is preloaded into worker threads too.
if (isMainThread) server.listen(Number(new URL(import.meta.url).search.slice(1)), '127.0.0.1').unref();
