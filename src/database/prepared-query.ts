import type { Compilable, CompiledQuery } from 'kysely';
import type { Database } from './database.js';
import type { Engine } from './engine.js';
import type { GuardedQuery } from './run-batch.js';

/** Stands for a value while the query is compiled. */
class Placeholder {
  constructor(readonly name: string | symbol) {}
}

const placeholders = new Proxy({}, { get: (_, name) => new Placeholder(name) });

/**
 * A query that is compiled once for an engine, where Kysely would compile it for each run. The values of a run are put
 * into their places.
 */
export class PreparedQuery<Values extends object> {
  readonly #compiled = new Map<Engine, CompiledQuery>();

  /**
   * @param build must pass the values on to Kysely without looking at them
   * @param changes rows that the statement has to change; with any other number it fails
   */
  constructor(
    private readonly build: (database: Database, values: Values) => Compilable,
    private readonly changes?: number,
  ) {}

  with(database: Database, values: Values): Compilable {
    return { compile: () => this.#fill(database, values as Record<string | symbol, unknown>) };
  }

  #fill(database: Database, values: Record<string | symbol, unknown>): GuardedQuery {
    const { query, queryId, sql, parameters } = this.#template(database);
    const filled = parameters.map((parameter) => (parameter instanceof Placeholder ? values[parameter.name] : parameter));
    return { query, queryId, sql, parameters: filled, changes: this.changes };
  }

  #template(database: Database): CompiledQuery {
    let compiled = this.#compiled.get(database.engine);
    if (!compiled) this.#compiled.set(database.engine, (compiled = this.build(database, placeholders as Values).compile()));
    return compiled;
  }
}
