import type { Compilable, CompiledQuery, DatabaseConnection, Kysely, QueryResult, Transaction } from 'kysely';
import type { Schema } from './schema.js';
import { UnexpectedChanges } from './store-error.js';

/**
 * A statement that fails where it changes another number of rows than it has to; what follows it in its batch is not
 * run.
 */
export interface GuardedQuery extends CompiledQuery {
  readonly changes: number | undefined;
}

/** A connection that takes several statements, and the commit with them, in one message. */
export interface BatchConnection extends DatabaseConnection {
  executeBatch(queries: readonly CompiledQuery[], commit: boolean): Promise<QueryResult<unknown>[]>;
}

/**
 * Runs statements in order on one connection, in one message where the engine can, and returns one result for each.
 * Outside a transaction they do not make one: see Database.batch.
 * @throws UnexpectedChanges
 */
export function runBatch(db: Kysely<Schema>, queries: readonly Compilable[]): Promise<QueryResult<unknown>[]> {
  return run(db, queries, false);
}

/** Runs the last statements of a transaction. Where the engine can, they carry its commit: nothing may follow them. */
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
