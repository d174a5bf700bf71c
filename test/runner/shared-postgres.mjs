import './typescript.mjs';

/** One PostgreSQL for all spec files of a run, each of which has databases of its own there. */
export default async function startSharedPostgres() {
  const { TemporaryPostgres } = await import('../../src/database/testing/temporary-postgres.ts');
  if (!TemporaryPostgres.available) return;
  globalThis[Symbol.for('switchyard.postgres')] = await TemporaryPostgres.startServer();
  globalThis[Symbol.for('switchyard.postgres')].share();
}
