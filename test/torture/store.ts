import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as wait } from 'node:timers/promises';
import { Client } from 'pg';
import { TemporaryPostgres } from '../../src/database/testing/temporary-postgres.ts';
import type { Lapse, Outage } from './lapses.ts';

export interface UsageRow {
  readonly request_id: string;
  readonly account_id: string;
  readonly prompt_tokens: bigint;
  readonly completion_tokens: bigint;
  readonly hold: bigint;
  readonly amount: bigint;
  readonly uncollected: bigint;
  readonly outcome: string;
}

/** One moment of the store. Anything but 0 is an error. */
export interface Snapshot {
  /** Balances of customers that are negative, or smaller than what is reserved of them. */
  readonly negative: bigint;
  /** Environments whose balances do not add up to 0. */
  readonly unbalanced: bigint;
  /** Nano-credits that are reserved and not in a lease. */
  readonly unbacked: bigint;
}

/** What is held. */
export interface Held {
  readonly leases: bigint;
  readonly reserved: bigint;
  readonly inflight: bigint;
}

/** The store as an auditor sees it, without any of the product's code. */
export abstract class AuditedStore {
  abstract readonly engine: 'sqlite' | 'postgres';
  /** The settings of a gateway that uses it. */
  abstract settings(folder: string): object;
  /**
   * Notes from now on which leases lapse. The tables must exist.
   * @param lease milliseconds that a lease lives
   */
  abstract audit(lease: number): Promise<void>;
  abstract lapses(): Promise<Lapse[]>;
  /** Undefined where the store does not answer. */
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
      'select request_id, account_id, prompt_tokens, completion_tokens, hold, amount, uncollected, outcome from usage order by request_id',
    );
    if (!rows) throw new Error('the store does not answer');
    return rows as UsageRow[];
  }
}

/** Milliseconds that PostgreSQL takes at most to end its other processes after one has crashed, on any machine. */
const ENDS_ALL_WITHIN = 10_000;

/** A PostgreSQL server that can be made to fail. */
export class AuditedPostgres extends AuditedStore {
  override readonly engine = 'postgres';
  /** The times for which it was down, in which nobody could renew a lease. */
  readonly outages: Outage[] = [];
  readonly #postgres: TemporaryPostgres;
  #client: Client | undefined;

  private constructor(postgres: TemporaryPostgres) {
    super();
    this.#postgres = postgres;
  }

  static async start(): Promise<AuditedPostgres> {
    return new AuditedPostgres(await TemporaryPostgres.startServer());
  }

  override settings(folder: string): object {
    return { data_dir: join(folder, 'data'), database_url: this.#postgres.url };
  }

  /** Lets the store itself note each lease that is ended after its time, whoever ends it. */
  override async audit(lease: number): Promise<void> {
    const now = '(extract(epoch from clock_timestamp()) * 1000)::bigint';
    const client = await this.#connect();
    await client.query(`create schema audit;
      create table audit.lapse (node text, account text, renewed_at bigint, ended_at bigint);
      create function audit.lease_ended() returns trigger language plpgsql as $$ begin
        if old.expires_at < ${now} then
          insert into audit.lapse values (old.node_id, old.account_id, old.expires_at - ${lease}, ${now});
        end if;
        return old;
      end $$;
      create trigger lease_ended before delete on lease for each row execute function audit.lease_ended();`);
    await client.end();
  }

  override async lapses(): Promise<Lapse[]> {
    const rows = await this.query('select node, account, renewed_at, ended_at from audit.lapse order by ended_at');
    if (!rows) throw new Error('the store does not answer');
    return (rows as { node: string; account: string; renewed_at: bigint; ended_at: bigint }[]).map((row) => ({
      node: row.node,
      account: row.account,
      renewedAt: Number(row.renewed_at) - performance.timeOrigin,
      endedAt: Number(row.ended_at) - performance.timeOrigin,
    }));
  }

  /**
   * Kills the server at once, and starts it again.
   * @param milliseconds for which it is down
   */
  async crash(milliseconds: number): Promise<void> {
    await this.#outage('PostgreSQL killed', async () => {
      await this.#postgres.halt('SIGQUIT');
      await wait(milliseconds);
      await this.#postgres.resume();
    });
  }

  /** Ends every connection but this program's. */
  async cut(): Promise<void> {
    await this.#outage('connections cut', () =>
      this.query(`select pg_terminate_backend(pid) from pg_stat_activity
        where backend_type = 'client backend' and pid <> pg_backend_pid()`),
    );
  }

  /** Kills the server process of one connection: PostgreSQL ends all connections and recovers. */
  async killBackend(): Promise<void> {
    const rows = await this.query(
      `select pid from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid() limit 1`,
    );
    const [row] = (rows ?? []) as { pid: bigint }[];
    const client = this.#client;
    if (!row || !client) return;
    await this.#outage('a server process killed', async () => {
      process.kill(Number(row.pid), 'SIGKILL');
      for (let waited = 0; this.#client === client && waited < ENDS_ALL_WITHIN; waited += 10) await wait(10);
      while (!(await this.query('select 1'))) await wait(10);
    });
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

  async #outage(what: string, act: () => Promise<unknown>): Promise<void> {
    const outage: Outage = { what, from: performance.now(), to: Infinity };
    this.outages.push(outage);
    await act();
    outage.to = performance.now();
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

  /**
   * Only its own process ends a lease, or the next one after it has settled everything: nothing is left uncollected.
   */
  override audit(): Promise<void> {
    return Promise.resolve();
  }

  override lapses(): Promise<Lapse[]> {
    return Promise.resolve([]);
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
