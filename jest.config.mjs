const shared = {
  extensionsToTreatAsEsm: ['.ts'],
  moduleNameMapper: { '^fast-check$': '<rootDir>/test/support/seeded-fast-check.ts', '^(\\.{1,2}/.*)\\.js$': '$1' },
  testEnvironment: 'node',
  transform: { '^.+\\.ts$': ['@swc/jest'] },
};

/** Unit specs sit beside the source, e2e specs in test/, one file per chapter of the specification. */
export default {
  // Milliseconds. Ends what hangs; a slow machine that has much to do is no failure.
  testTimeout: 30_000,
  projects: [
    { ...shared, displayName: 'unit', roots: ['<rootDir>/src'], testMatch: ['**/*.spec.ts'] },
    { ...shared, displayName: 'e2e', roots: ['<rootDir>/test'], testMatch: ['**/*.e2e-spec.ts'] },
  ],
};
