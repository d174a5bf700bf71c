import short, { shared } from './jest.config.mjs';

/** What `npm run test:all` runs: all that takes too long for `npm test`. Together they run each spec once. */
export default {
  ...short,
  // One after the other: some look at memory and time, and most of them run several processes already.
  maxWorkers: 1,
  projects: [{ ...shared, displayName: 'long', roots: ['<rootDir>/test/long'], testMatch: ['**/*.spec.ts'] }],
};
