/**
 * Preloaded into a gateway that is profiled, as `profiler.ts?file=FILE`: a SIGUSR2 begins a profile of the main thread,
 * the next one ends and writes it.
 */
import { renameSync, writeFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { isMainThread } from 'node:worker_threads';

/** Microseconds between samples. */
const INTERVAL = 200;

const file = new URL(import.meta.url).searchParams.get('file')!;
const session = new Session();
let running = false;

async function turn(): Promise<void> {
  running = !running;
  if (running) {
    session.connect();
    await session.post('Profiler.enable');
    await session.post('Profiler.setSamplingInterval', { interval: INTERVAL });
    await session.post('Profiler.start');
    return;
  }
  const { profile } = await session.post('Profiler.stop');
  session.disconnect();
  writeFileSync(`${file}.new`, JSON.stringify(profile));
  renameSync(`${file}.new`, file);
}

if (isMainThread) process.on('SIGUSR2', () => void turn());
