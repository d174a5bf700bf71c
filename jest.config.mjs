import { availableParallelism } from 'node:os';

/** What every project needs. */
export const shared = {
  runtime: '<rootDir>/test/runner/native-runtime.mjs',
  setupFiles: ['<rootDir>/test/support/silence-logs.ts'],
  testEnvironment: '<rootDir>/test/runner/native-environment.mjs',
  transform: {},
};

/**
 * What `npm test` runs. Unit specs sit beside the source; e2e specs are in test/, one file per chapter of the
 * specification. What takes longer is in test/long and runs with jest.long.config.mjs. test/README.md names them all.
 */
export default {
  // Three on two cores: a third of what specs take is waiting for time-outs, leases and processes. Jest takes a share
  // above 100 % for a number of workers.
  maxWorkers: Math.ceil(1.5 * availableParallelism()),
  // Bytes of a worker's heap from which on it is replaced by a new one: spec files leave more behind than collecting it
  // is worth.
  workerIdleMemoryLimit: '600MB',
  // Milliseconds; a busy machine takes longer than Jest's half a second to end a process. A handle that a spec leaves
  // open still comes to light.
  workerGracefulExitTimeout: 30_000,
  reporters: ['<rootDir>/test/support/summary-reporter.mjs'],
  // Milliseconds. It ends what hangs; a slow machine that has much to do is no failure.
  testTimeout: 120_000,
  projects: [
    { ...shared, displayName: 'unit', roots: ['<rootDir>/src'], testMatch: ['**/*.spec.ts'] },
    { ...shared, displayName: 'e2e', roots: ['<rootDir>/test'], testMatch: ['**/*.e2e-spec.ts'] },
  ],
};
