import short, { shared } from './jest.config.mjs';

/** What looks at time, CPU or memory, or builds the program where it lies. */
const alone = ['dashboard-speed', 'hostile', 'hostile-bodies', 'limits-over-gateways', 'memory', 'programs', 'start', 'torture'];
const measured = `**/{${alone.join(',')}}.spec.ts`;
const long = { ...shared, roots: ['<rootDir>/test/long'] };

/** What `npm run test:all` runs: all that takes too long for `npm test`. Together they run each spec once. */
export default {
  ...short,
  maxWorkers: '100%',
  // Each spec that has taken memory leaves its process: together they would need more than 4 GB.
  workerIdleMemoryLimit: '300MB',
  projects: [
    { ...long, displayName: 'long', testMatch: ['**/*.spec.ts', `!${measured}`] },
    { ...long, displayName: 'alone', testMatch: [measured], runner: '<rootDir>/test/support/serial-runner.mjs' },
  ],
};
