import { randomUUID } from 'node:crypto';
import { execFileSync, type ChildProcess, spawn, type SpawnOptions } from 'node:child_process';
import { chmodSync, chownSync, existsSync, globSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';

const START_TIMEOUT_MS = 90_000;

/** Debian keeps the server's programs off the path, in a folder for each version. */
const debianFolders = '/usr/lib/postgresql/*/bin';

const SETTINGS = ['-c', 'listen_addresses=', '-c', 'fsync=off', '-c', 'max_connections=500'];

/** The folder of the server that the spec files of a run share: test/runner/shared-postgres.mjs. */
const SHARED = 'SWITCHYARD_TEST_POSTGRES';

/** A PostgreSQL for one spec: a database of the run's server, or a server on a socket in a folder of its own. */
export class TemporaryPostgres {
  readonly #folder: string;
  readonly #database: string;
  /** How its server is started, where it has one to itself. */
  readonly #own: { readonly program: string; readonly options: SpawnOptions } | undefined;
  #server: ChildProcess | undefined;

  private constructor(folder: string, database: string, own?: { readonly program: string; readonly options: SpawnOptions }) {
    this.#folder = folder;
    this.#database = database;
    this.#own = own;
  }

  /** Whether a server is installed. */
  static get available(): boolean {
    return programs() !== undefined;
  }

  /** An empty database. @throws Error where no PostgreSQL is installed */
  static async start(): Promise<TemporaryPostgres> {
    const shared = process.env[SHARED];
    if (shared === undefined) return TemporaryPostgres.startServer();
    return new TemporaryPostgres(shared, await createDatabase(shared));
  }

  /** A server that the spec may halt. @throws Error where no PostgreSQL is installed */
  static async startServer(): Promise<TemporaryPostgres> {
    const bin = programs();
    if (!bin) throw new Error(`no initdb and postgres on the path or in ${debianFolders}`);
    const folder = mkdtempSync(join(tmpdir(), 'switchyard-pg-'));
    // PostgreSQL refuses to run as root.
    const owner = process.getuid?.() === 0 ? { uid: idOf('-u'), gid: idOf('-g') } : {};
    if (owner.uid !== undefined) chownSync(folder, owner.uid, owner.gid);
    chmodSync(folder, 0o711);
    const options = { ...owner, cwd: folder, stdio: 'ignore' } as const;
    execFileSync(join(bin, 'initdb'), ['-D', 'data', '-U', 'switchyard', '--auth=trust', '--no-sync', '-E', 'UTF8', '--locale=C'], options);
    const postgres = new TemporaryPostgres(folder, 'postgres', { program: join(bin, 'postgres'), options });
    await postgres.resume();
    return postgres;
  }

  /** Has the spec files of this run share it. */
  share(): void {
    process.env[SHARED] = this.#folder;
  }

  get url(): string {
    return urlOf(this.#folder, this.#database);
  }

  /**
   * Makes an empty database on the server.
   * @returns its URL
   */
  async createDatabase(): Promise<string> {
    return urlOf(this.#folder, await createDatabase(this.#folder));
  }

  /**
   * Ends the server and keeps its data.
   * @param signal SIGINT ends the open connections; SIGQUIT is as near to a crash as it gets without leaving processes
   * behind
   */
  async halt(signal: 'SIGINT' | 'SIGQUIT' = 'SIGINT'): Promise<void> {
    const server = this.#server;
    if (!server || server.exitCode !== null || server.signalCode !== null) return;
    const exited = new Promise((resolve) => server.once('exit', resolve));
    server.kill(signal);
    await exited;
  }

  /** Starts the server, also again after `halt`. */
  async resume(): Promise<void> {
    if (!this.#own) throw new Error('a server that others share is not halted: startServer');
    const { program, options } = this.#own;
    this.#server = spawn(program, ['-D', 'data', ...SETTINGS, '-c', `unix_socket_directories=${this.#folder}`], options);
    await this.#ready();
  }

  async stop(): Promise<void> {
    if (!this.#own) return;
    await this.halt();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async #ready(): Promise<void> {
    const deadline = Date.now() + START_TIMEOUT_MS;
    for (;;) {
      const client = new Client({ connectionString: this.url });
      client.on('error', () => undefined);
      try {
        await client.connect();
        return;
      } catch (error) {
        if (Date.now() > deadline || this.#server?.exitCode != null) throw error;
        await delay(50);
      } finally {
        await client.end().catch(() => undefined);
      }
    }
  }
}

function urlOf(folder: string, database: string): string {
  return `postgresql://switchyard@/${database}?host=${encodeURIComponent(folder)}`;
}

/** @returns its name */
async function createDatabase(folder: string): Promise<string> {
  const name = `spec_${randomUUID().replaceAll('-', '')}`;
  const client = new Client({ connectionString: urlOf(folder, 'postgres') });
  await client.connect();
  await client.query(`create database ${name}`);
  await client.end();
  return name;
}

/** The folder that has both programs. */
function programs(): string | undefined {
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), ...globSync(debianFolders)];
  return folders.find((folder) => ['initdb', 'postgres'].every((name) => existsSync(join(folder, name))));
}

function idOf(flag: '-u' | '-g'): number {
  return Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }));
}
