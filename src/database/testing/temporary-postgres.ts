import { execFileSync, type ChildProcess, spawn, type SpawnOptions } from 'node:child_process';
import { chmodSync, chownSync, existsSync, globSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';

const START_TIMEOUT_MS = 90_000;

/** Debian keeps the server's programs off the path, in a folder for each version. */
const debianFolders = '/usr/lib/postgresql/*/bin';

const SETTINGS = ['-c', 'listen_addresses=', '-c', 'fsync=off'];

/** A PostgreSQL server for one spec, on a socket in a folder of its own: it takes no port and leaves nothing behind. */
export class TemporaryPostgres {
  readonly #program: string;
  readonly #folder: string;
  readonly #options: SpawnOptions;
  #server: ChildProcess;
  #databases = 0;

  private constructor(program: string, folder: string, options: SpawnOptions) {
    this.#program = program;
    this.#folder = folder;
    this.#options = options;
    this.#server = this.#spawn();
  }

  /** Whether a server is installed. */
  static get available(): boolean {
    return programs() !== undefined;
  }

  /** @throws Error where none is installed */
  static async start(): Promise<TemporaryPostgres> {
    const bin = programs();
    if (!bin) throw new Error(`no initdb and postgres on the path or in ${debianFolders}`);
    const folder = mkdtempSync(join(tmpdir(), 'switchyard-pg-'));
    // PostgreSQL refuses to run as root.
    const owner = process.getuid?.() === 0 ? { uid: idOf('-u'), gid: idOf('-g') } : {};
    if (owner.uid !== undefined) chownSync(folder, owner.uid, owner.gid);
    chmodSync(folder, 0o711);
    const options = { ...owner, cwd: folder, stdio: 'ignore' } as const;
    execFileSync(join(bin, 'initdb'), ['-D', 'data', '-U', 'switchyard', '--auth=trust', '--no-sync', '-E', 'UTF8', '--locale=C'], options);
    const postgres = new TemporaryPostgres(join(bin, 'postgres'), folder, options);
    await postgres.#ready();
    return postgres;
  }

  get url(): string {
    return this.#urlOf('postgres');
  }

  /**
   * Makes an empty database on the server.
   * @returns its URL
   */
  async createDatabase(): Promise<string> {
    const name = `other_${++this.#databases}`;
    const client = new Client({ connectionString: this.url });
    await client.connect();
    await client.query(`create database ${name}`);
    await client.end();
    return this.#urlOf(name);
  }

  /**
   * Ends the server and keeps its data.
   * @param signal SIGINT ends the open connections; SIGQUIT is as near to a crash as it gets without leaving processes
   * behind
   */
  async halt(signal: 'SIGINT' | 'SIGQUIT' = 'SIGINT'): Promise<void> {
    const server = this.#server;
    if (server.exitCode !== null || server.signalCode !== null) return;
    const exited = new Promise((resolve) => server.once('exit', resolve));
    server.kill(signal);
    await exited;
  }

  /** Starts the server again after `halt`. */
  async resume(): Promise<void> {
    this.#server = this.#spawn();
    await this.#ready();
  }

  async stop(): Promise<void> {
    await this.halt();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #urlOf(database: string): string {
    return `postgresql://switchyard@/${database}?host=${encodeURIComponent(this.#folder)}`;
  }

  #spawn(): ChildProcess {
    return spawn(this.#program, ['-D', 'data', ...SETTINGS, '-c', `unix_socket_directories=${this.#folder}`], this.#options);
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
        if (Date.now() > deadline || this.#server.exitCode !== null) throw error;
        await delay(50);
      } finally {
        await client.end().catch(() => undefined);
      }
    }
  }
}

/** The folder that has both programs. */
function programs(): string | undefined {
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), ...globSync(debianFolders)];
  return folders.find((folder) => ['initdb', 'postgres'].every((name) => existsSync(join(folder, name))));
}

function idOf(flag: '-u' | '-g'): number {
  return Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }));
}
