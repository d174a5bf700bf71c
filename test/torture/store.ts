import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as wait } from 'node:timers/promises';
import { Client } from 'pg';
import { TemporaryPostgres } from '../../src/database/testing/temporary-postgres.ts';
import type { Silence } from './gateway.ts';

export interface UsageRow {
  readonly request_id: string;
  readonly account_id: string;
  readonly prompt_tokens: bigint;
  readonly completion_tokens: bigint;
  readonly amount: bigint;
  readonly uncollected: bigint;
  readonly outcome: string;
}

/** One moment of the store; what is not 0 is wrong. */
export interface Snapshot {
  /** Balances of customers that are negative, or smaller than what is reserved of them. */
  readonly negative: bigint;
  /** Environments whose balances do not come to nothing. */
  readonly unbalanced: bigint;
  /** Nano-credits that are reserved and not in a lease. */
  readonly unbacked: bigint;
}

/** What is put aside. */
export interface Held {
  readonly leases: bigint;
  readonly reserved: bigint;
  readonly inflight: bigint;
}

/** The store as an auditor sees it, who trusts none of the product's code. */
export abstract class AuditedStore {
  abstract readonly engine: 'sqlite' | 'postgres';
  /** Settings of a gateway on it. */
  abstract settings(folder: string): object;
  /** Undefined when it does not answer. */
  protected abstract query(sql: string): Promise<unknown[] | undefined>;
  abstract close(): Promise<void>;

  async snapshot(): Promise<Snapshot | undefined> {
    const rows = await this.query(`select
      (select count(*) from balance where kind = 'customer' and (posted < 0 or reserved < 0 or posted < reserved)) as negative,
      (select count(*) from (select environment from balance group by environment having sum(posted) <> 0) wrong) as unbalanced,
      (select cast(sum(reserved) as bigint) from balance) - (select cast(coalesce(sum(granted - spent), 0) as bigint) from lease) as unbacked`);
    return rows?.[0] as Snapshot | undefined;
  }

  async held(): Promise<Held | undefined> {
    const rows = await this.query(`select (select count(*) from lease) as leases, (select count(*) from inflight) as inflight,
      (select cast(sum(reserved) as bigint) from balance) as reserved`);
    return rows?.[0] as Held | undefined;
  }

  async usage(): Promise<UsageRow[]> {
    const rows = await this.query(
      'select request_id, account_id, prompt_tokens, completion_tokens, amount, uncollected, outcome from usage order by request_id',
    );
    if (!rows) throw new Error('the store does not answer');
    return rows as UsageRow[];
  }
}

/** A server of the program's own, which can be made to fail. */
export class AuditedPostgres extends AuditedStore {
  override readonly engine = 'postgres';
  /** While it is down, nobody renews a lease. */
  readonly silences: Silence[] = [];
  readonly #postgres: TemporaryPostgres;
  #client: Client | undefined;

  private constructor(postgres: TemporaryPostgres) {
    super();
    this.#postgres = postgres;
  }

  static async start(): Promise<AuditedPostgres> {
    return new AuditedPostgres(await TemporaryPostgres.start());
  }

  override settings(folder: string): object {
    return { data_dir: join(folder, 'data'), database_url: this.#postgres.url };
  }

  /** Kills the server as immediately as it can be and starts it again. @param milliseconds in between */
  async crash(milliseconds: number): Promise<void> {
    const silence = { from: performance.now(), to: Infinity };
    this.silences.push(silence);
    await this.#postgres.halt('SIGQUIT');
    await wait(milliseconds);
    await this.#postgres.resume();
    silence.to = performance.now();
  }

  /** Ends every connection but ours. */
  async cut(): Promise<void> {
    await this.query(`select pg_terminate_backend(pid) from pg_stat_activity
      where backend_type = 'client backend' and pid <> pg_backend_pid()`);
  }

  /** Kills the process behind one connection: the server ends all of them and recovers. */
  async killBackend(): Promise<void> {
    const rows = await this.query(
      `select pid from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid() limit 1`,
    );
    const [row] = (rows ?? []) as { pid: bigint }[];
    if (row) process.kill(Number(row.pid), 'SIGKILL');
  }

  override async close(): Promise<void> {
    await this.#client?.end().catch(() => undefined);
    await this.#postgres.stop();
  }

  protected override async query(sql: string): Promise<unknown[] | undefined> {
    try {
      this.#client ??= await this.#connect();
      return (await this.#client.query<never>(sql)).rows;
    } catch {
      this.#client = undefined;
      return undefined;
    }
  }

  async #connect(): Promise<Client> {
    const client = new Client({
      connectionString: this.#postgres.url,
      types: { getTypeParser: (oid: number) => ([20, 23].includes(oid) ? BigInt : String) },
    });
    client.on('error', () => (this.#client = undefined));
    await client.connect();
    return client;
  }
}

export class AuditedSqlite extends AuditedStore {
  override readonly engine = 'sqlite';
  readonly #folder: string;

  /** @param folder of the gateway */
  constructor(folder: string) {
    super();
    this.#folder = folder;
  }

  override settings(): object {
    return { data_dir: join(this.#folder, 'data') };
  }

  /** Ids of all grants. */
  async grants(): Promise<string[]> {
    const rows = (await this.query('select id from transfer order by id')) as { id: string }[] | undefined;
    return (rows ?? []).map(({ id }) => id);
  }

  async intact(): Promise<boolean> {
    const rows = (await this.query('pragma integrity_check')) as { integrity_check: string }[] | undefined;
    return rows?.[0]?.integrity_check === 'ok';
  }

  override async close(): Promise<void> {}

  protected override async query(sql: string): Promise<unknown[] | undefined> {
    let database: DatabaseSync | undefined;
    try {
      database = new DatabaseSync(join(this.#folder, 'data/switchyard.db'), { timeout: 2_000 });
      database.exec('pragma query_only = 1');
      const statement = database.prepare(sql);
      statement.setReadBigInts(true);
      return statement.all();
    } catch {
      return undefined;
    } finally {
      database?.close();
    }
  }
}
