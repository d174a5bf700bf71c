import type { Compilable, CompiledQuery, DatabaseConnection, Kysely, QueryResult, Transaction } from 'kysely';
import type { Schema } from './schema.js';
import { UnexpectedChanges } from './store-error.js';

/** A statement that fails, and what follows it in its batch with it, where it changes another number of rows. */
export interface GuardedQuery extends CompiledQuery {
  readonly changes: number | undefined;
}

/** A connection that takes several statements in one message, and the commit with them. */
export interface BatchConnection extends DatabaseConnection {
  executeBatch(queries: readonly CompiledQuery[], commit: boolean): Promise<QueryResult<unknown>[]>;
}

/**
 * Runs statements in order on one connection, in one message where the engine has one, and answers with one result each.
 * Inside a transaction they belong to it; outside they are not one: see Database.batch.
 * @throws UnexpectedChanges
 */
export function runBatch(db: Kysely<Schema>, queries: readonly Compilable[]): Promise<QueryResult<unknown>[]> {
  return run(db, queries, false);
}

/** The last statements of a transaction: where the engine can, they carry its commit. Nothing may follow in the transaction. */
export function runLastBatch(trx: Transaction<Schema>, queries: readonly Compilable[]): Promise<QueryResult<unknown>[]> {
  return run(trx, queries, true);
}

async function run(db: Kysely<Schema>, queries: readonly Compilable[], commit: boolean): Promise<QueryResult<unknown>[]> {
  if (queries.length === 0) return [];
  const compiled = queries.map((query) => query.compile());
  return db.getExecutor().provideConnection(async (connection) => {
    if ('executeBatch' in connection) return (connection as BatchConnection).executeBatch(compiled, commit);
    const results: QueryResult<unknown>[] = [];
    for (const query of compiled) {
      const result = await connection.executeQuery(query);
      const { changes } = query as Partial<GuardedQuery>;
      if (changes !== undefined && result.numAffectedRows !== BigInt(changes)) throw new UnexpectedChanges(query.sql);
      results.push(result);
    }
    return results;
  });
}
