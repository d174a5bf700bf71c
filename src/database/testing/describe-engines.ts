import { describeService } from '../../common/testing/describe-service.js';
import { started } from '../../common/testing/started.js';
import type { Database } from '../database.js';
import { openDatabase } from '../open-database.js';
import { TemporaryPostgres } from './temporary-postgres.js';
import { TemporaryStore } from './temporary-store.js';

/** Specs that need a PostgreSQL. */
export function describePostgres(name: string, specs: () => void): void {
  describeService('PostgreSQL', TemporaryPostgres.available, name, specs);
}

/** The same specs on both engines, each with as many empty stores as it wants. */
export function describeStores(name: string, specs: (create: () => Promise<TemporaryStore>) => void): void {
  describe(name, () => specs(async () => new TemporaryStore()));

  describePostgres(name, () => {
    const postgres = started(() => TemporaryPostgres.start());
    specs(async () => new TemporaryStore(await postgres.createDatabase()));
    afterAll(() => postgres.stop());
  });
}

/**
 * The same specs on both engines.
 * @param specs is given a function that opens a connection to the one store, as another process would have it
 */
export function describeEngines(name: string, specs: (open: () => Promise<Database>) => void): void {
  describe(name, () => {
    const store = new TemporaryStore();
    afterAll(() => store.remove());
    specs(() => store.open());
  });

  describePostgres(name, () => {
    const databases: Database[] = [];
    const postgres = started(() => TemporaryPostgres.start());
    afterAll(async () => {
      await Promise.all(databases.map((database) => database.close()));
      await postgres.stop();
    });
    specs(async () => {
      const database = await openDatabase({ data_dir: 'unused', database_url: postgres.url });
      databases.push(database);
      return database;
    });
  });
}
