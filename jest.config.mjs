import { availableParallelism } from 'node:os';

/** What the name of a spec says in brackets where it needs more than Node: `npm run test:all` runs those. */
export const SERVICES = '\\[(PostgreSQL|Chromium|program)\\]';

/** Spec files of which each spec needs one. */
export const SERVICE_FILES = '\\.postgres\\.';

/** What every project needs. */
export const shared = {
  runtime: '<rootDir>/test/runner/native-runtime.mjs',
  setupFiles: ['<rootDir>/test/runner/at-start.ts'],
  testEnvironment: '<rootDir>/test/runner/native-environment.mjs',
  transform: {},
};

const short = { ...shared, testEnvironmentOptions: { without: SERVICES }, testPathIgnorePatterns: [SERVICE_FILES] };

/**
 * What `npm test` runs: the same on every machine, with SQLite, without a browser or other programs. Unit specs sit
 * beside the source; e2e specs are in test/, one file per chapter of the specification. test/README.md names all runs.
 */
export default {
  // Three on two cores: a part of what specs take is waiting for the disk and for sockets. Jest takes a share above
  // 100 % for a number of workers.
  maxWorkers: Math.ceil(1.5 * availableParallelism()),
  // Bytes of a worker's heap from which on it is replaced by a new one.
  workerIdleMemoryLimit: '1GB',
  // Milliseconds; a busy machine takes longer than Jest's half a second to end a process. A handle that a spec leaves
  // open still comes to light.
  workerGracefulExitTimeout: 30_000,
  reporters: ['<rootDir>/test/support/summary-reporter.mjs'],
  // Milliseconds. It ends what hangs; a slow machine that has much to do is no failure.
  testTimeout: 120_000,
  projects: [
    { ...short, displayName: 'unit', roots: ['<rootDir>/src'], testMatch: ['**/*.spec.ts'] },
    { ...short, displayName: 'e2e', roots: ['<rootDir>/test'], testMatch: ['**/*.e2e-spec.ts'] },
  ],
};
