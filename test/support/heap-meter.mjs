/**
 * Preloaded into a program (`--import file://.../heap-meter.mjs?PORT`): answers over HTTP how many bytes its main thread
 * can reach, once all garbage is collected.
 */
import { createServer } from 'node:http';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { isMainThread } from 'node:worker_threads';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc');

async function answer(response) {
  // What the first collection has finalized is garbage to the second.
  for (let time = 0; time < 2; time++) await collect({ type: 'major', execution: 'async' });
  const { heapUsed, external } = process.memoryUsage();
  response.setHeader('connection', 'close').end(String(heapUsed + external));
}

const server = createServer((_request, response) => void answer(response));
// It is preloaded into worker threads too.
if (isMainThread) server.listen(Number(new URL(import.meta.url).search.slice(1)), '127.0.0.1').unref();
