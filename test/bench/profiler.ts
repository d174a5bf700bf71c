/**
 * Preloaded into a gateway that is profiled, as `profiler.ts?file=FILE`. A SIGUSR2 begins a profile of the main thread,
 * and the next one ends and writes it: of its time to FILE.cpuprofile, then of what it allocates to FILE.heapprofile,
 * and so on in turn.
 */
import { renameSync, writeFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { isMainThread } from 'node:worker_threads';

/** Microseconds between samples of the stack. */
const INTERVAL = 200;
/** Bytes that are allocated between samples, on average. */
const BYTES = 4096;

const file = new URL(import.meta.url).searchParams.get('file')!;
const session = new Session();
let turns = 0;

async function turn(): Promise<void> {
  switch (turns++ % 4) {
    case 0:
      session.connect();
      await session.post('Profiler.enable');
      await session.post('Profiler.setSamplingInterval', { interval: INTERVAL });
      return session.post('Profiler.start');
    case 1:
      keep('cpuprofile', (await session.post('Profiler.stop')).profile);
      return session.post('Profiler.disable');
    case 2:
      return session.post('HeapProfiler.startSampling', {
        samplingInterval: BYTES,
        includeObjectsCollectedByMajorGC: true,
        includeObjectsCollectedByMinorGC: true,
      });
    default:
      keep('heapprofile', (await session.post('HeapProfiler.stopSampling')).profile);
      session.disconnect();
  }
}

function keep(ending: string, profile: object): void {
  const path = `${file}.${ending}`;
  writeFileSync(`${path}.new`, JSON.stringify(profile));
  renameSync(`${path}.new`, path);
}

if (isMainThread) process.on('SIGUSR2', () => void turn());
