import short, { shared } from './jest.config.mjs';

/** What `npm run test:all` runs: all that takes too long for `npm test`. Together they run each spec once. */
export default {
  ...short,
  // One after the other: some look at memory and time, and most of them run several processes already.
  maxWorkers: 1,
  // Each spec that has taken memory leaves its process: together they would need more than 4 GB.
  workerIdleMemoryLimit: '300MB',
  projects: [{ ...shared, displayName: 'long', roots: ['<rootDir>/test/long'], testMatch: ['**/*.spec.ts'] }],
};
