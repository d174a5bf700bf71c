import short, { shared } from './jest.config.mjs';

/** What `npm run test:all` runs: all that takes too long for `npm test`. It shares nothing with it, so that both together run each spec once. */
export default {
  ...short,
  projects: [{ ...shared, displayName: 'long', roots: ['<rootDir>/test/long'], testMatch: ['**/*.spec.ts'] }],
};
