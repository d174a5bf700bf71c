import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Client } from 'pg';
import { TemporaryPostgres } from '../../src/database/testing/temporary-postgres.ts';

export type Engine = 'sqlite' | 'postgres';

/** What accounts were charged. */
export interface Sums {
  /** Nano-credits. */
  readonly amount: bigint;
  readonly uncollected: bigint;
  readonly requests: bigint;
}

const quoted = (texts: readonly string[]): string => texts.map((text) => `'${text.replaceAll("'", "''")}'`).join(', ') || "''";

/** The store of one gateway as an auditor reads it, without any of the product's code. */
export class Audit {
  readonly engine: Engine;
  readonly #folder: string;
  readonly #postgres: TemporaryPostgres | undefined;
  #client: Client | undefined;

  private constructor(engine: Engine, folder: string, postgres?: TemporaryPostgres) {
    this.engine = engine;
    this.#folder = folder;
    this.#postgres = postgres;
  }

  /** @param folder of the gateway */
  static async start(engine: Engine, folder: string): Promise<Audit> {
    return new Audit(engine, folder, engine === 'postgres' ? await TemporaryPostgres.start() : undefined);
  }

  /**
   * The gateway's section `store`. An auditor takes sums for final that have not changed for less than half a second.
   */
  get settings(): object {
    return { data_dir: this.folder, flush_interval: 50, ...(this.#postgres && { database_url: this.#postgres.url }) };
  }

  async sums(accounts: readonly string[]): Promise<Sums> {
    const [row] = await this.#rows(`select cast(coalesce(sum(amount), 0) as bigint) as amount,
      cast(coalesce(sum(uncollected), 0) as bigint) as uncollected, count(*) as requests from usage where account_id in (${quoted(accounts)})`);
    return row as unknown as Sums;
  }

  /** Where the embedded store and its journals are. */
  get folder(): string {
    return join(this.#folder, 'data');
  }

  /** Nano-credits that each of these requests was charged. */
  async charges(ids: readonly string[]): Promise<Map<string, bigint>> {
    const rows = await this.#rows(`select request_id, amount from usage where request_id in (${quoted(ids)})`);
    return new Map(rows.map(({ request_id, amount }) => [request_id as string, amount as bigint]));
  }

  /** Of these requests those that have a record. */
  async recorded(ids: readonly string[]): Promise<Set<string>> {
    const rows = await this.#rows(`select request_id from request_record where request_id in (${quoted(ids)})
      union all select request_id from usage where attempts is not null and request_id in (${quoted(ids)})`);
    return new Set(rows.map(({ request_id }) => request_id as string));
  }

  /** Number of request records that no account has. */
  async recordsOfNobody(): Promise<number> {
    const [row] = await this.#rows('select count(*) as number from request_record where account_id is null');
    return Number(row!['number']);
  }

  async outcomes(accounts: readonly string[]): Promise<Map<string, number>> {
    const rows = await this.#rows(
      `select outcome, count(*) as number from usage where account_id in (${quoted(accounts)}) group by outcome`,
    );
    return new Map(rows.map(({ outcome, number }) => [outcome as string, Number(number)]));
  }

  async stop(): Promise<void> {
    await this.#client?.end();
    await this.#postgres?.stop();
  }

  async #rows(sql: string): Promise<Record<string, bigint | string>[]> {
    if (this.#postgres) {
      this.#client ??= await this.#connect(this.#postgres);
      return (await this.#client.query<Record<string, bigint | string>>(sql)).rows;
    }
    const database = new DatabaseSync(join(this.#folder, 'data/switchyard.db'), { timeout: 5_000 });
    try {
      database.exec('pragma query_only = 1');
      const statement = database.prepare(sql);
      statement.setReadBigInts(true);
      return statement.all() as Record<string, bigint | string>[];
    } finally {
      database.close();
    }
  }

  async #connect(postgres: TemporaryPostgres): Promise<Client> {
    const client = new Client({
      connectionString: postgres.url,
      types: { getTypeParser: (oid: number) => ([20, 23].includes(oid) ? BigInt : String) },
    });
    await client.connect();
    return client;
  }
}
