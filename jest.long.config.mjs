import { globSync, readFileSync } from 'node:fs';
import short, { SERVICE_FILES, SERVICES, shared } from './jest.config.mjs';

/** What looks at time, CPU or memory, and those of them whose bounds hold beside another spec file, too. */
const tight = ['hostile', 'hostile-bodies', 'programs'];
const wide = ['dashboard-speed', 'limits-over-gateways', 'memory', 'start', 'torture'];
const alone = process.env.SWITCHYARD_QUIET_MACHINE === '1' ? [...tight, ...wide] : tight;
const measured = `**/{${alone.join(',')}}.spec.ts`;
const long = { ...shared, roots: ['<rootDir>/test/long'] };

/** The spec files of `npm test` in which some specs need a service. */
const inNeed = globSync(['src/**/*.spec.ts', 'test/*.e2e-spec.ts'])
  .filter(
    (file) =>
      new RegExp(SERVICE_FILES).test(file) ||
      /describe(Postgres|Stores|Engines|Gateways|SharedGateways)\(|\[program\]/.test(readFileSync(file, 'utf8')),
  )
  .map((file) => `<rootDir>/${file}`);

/** What `npm run test:all` runs: all that `npm test` leaves out. Together they run each spec once. */
export default {
  ...short,
  globalSetup: '<rootDir>/test/runner/shared-postgres.mjs',
  globalTeardown: '<rootDir>/test/runner/end-shared-postgres.mjs',
  testSequencer: '<rootDir>/test/runner/first-first.mjs',
  projects: [
    { ...shared, displayName: 'services', testEnvironmentOptions: { only: SERVICES }, testMatch: inNeed },
    { ...long, displayName: 'long', testMatch: ['**/*.spec.ts', `!${measured}`] },
    { ...long, displayName: 'alone', testMatch: [measured], runner: '<rootDir>/test/support/serial-runner.mjs' },
  ],
};
