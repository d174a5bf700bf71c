import short, { shared } from './jest.config.mjs';

/** What `npm run test:meta` runs: specs about the specs, their kit, the rules of the layers and the prose. */
export default {
  ...short,
  projects: [{ ...shared, displayName: 'meta', roots: ['<rootDir>/src', '<rootDir>/test'], testMatch: ['**/*.meta-spec.ts'] }],
};
