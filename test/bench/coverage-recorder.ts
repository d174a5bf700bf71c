/**
 * Preloaded into a gateway of which one counts what code a request runs, as `coverage-recorder.ts?file=FILE`. The first
 * SIGUSR2 begins to count; each later one writes what ran since the one before to FILE.NUMBER, from 1 on.
 */
import { renameSync, writeFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { isMainThread } from 'node:worker_threads';

const file = new URL(import.meta.url).searchParams.get('file')!;
const session = new Session();
let turns = 0;

async function turn(): Promise<void> {
  const number = turns++;
  if (number === 0) {
    session.connect();
    await session.post('Profiler.enable');
    await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
    return;
  }
  const { result } = await session.post('Profiler.takePreciseCoverage');
  writeFileSync(`${file}.new`, JSON.stringify(result));
  renameSync(`${file}.new`, `${file}.${number}`);
}

if (isMainThread) process.on('SIGUSR2', () => void turn());
