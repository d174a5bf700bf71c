import { execFileSync, type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, chownSync, existsSync, globSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';

const START_TIMEOUT_MS = 30_000;

/** Debian keeps the server's programs off the path, a folder for each version. */
const debianFolders = '/usr/lib/postgresql/*/bin';

/** A PostgreSQL server of a spec's own, on a socket in a folder of its own: no port, nothing left behind. */
export class TemporaryPostgres {
  private constructor(
    private readonly folder: string,
    private readonly server: ChildProcess,
  ) {}

  /** Where no server is installed a spec has nothing to run on. */
  static get available(): boolean {
    return programs() !== undefined;
  }

  /** @throws Error where none is installed */
  static async start(): Promise<TemporaryPostgres> {
    const bin = programs();
    if (!bin) throw new Error(`no initdb and postgres on the path or in ${debianFolders}`);
    const folder = mkdtempSync(join(tmpdir(), 'switchyard-pg-'));
    // A server refuses to run as root.
    const owner = process.getuid?.() === 0 ? { uid: idOf('-u'), gid: idOf('-g') } : {};
    if (owner.uid !== undefined) chownSync(folder, owner.uid, owner.gid);
    chmodSync(folder, 0o711);
    const data = join(folder, 'data');
    const options = { ...owner, cwd: folder, stdio: 'ignore' } as const;
    execFileSync(join(bin, 'initdb'), ['-D', data, '-U', 'switchyard', '--auth=trust', '--no-sync', '-E', 'UTF8', '--locale=C'], options);
    const settings = ['-c', 'listen_addresses=', '-c', `unix_socket_directories=${folder}`, '-c', 'fsync=off'];
    const postgres = new TemporaryPostgres(folder, spawn(join(bin, 'postgres'), ['-D', data, ...settings], options));
    await postgres.#ready();
    return postgres;
  }

  get url(): string {
    return `postgresql://switchyard@/postgres?host=${encodeURIComponent(this.folder)}`;
  }

  async stop(): Promise<void> {
    if (this.server.exitCode === null) {
      const exited = new Promise((resolve) => this.server.once('exit', resolve));
      // Ends the connections that are open.
      this.server.kill('SIGINT');
      await exited;
    }
    rmSync(this.folder, { recursive: true, force: true });
  }

  async #ready(): Promise<void> {
    const deadline = Date.now() + START_TIMEOUT_MS;
    for (;;) {
      const client = new Client({ connectionString: this.url });
      try {
        await client.connect();
        return;
      } catch (error) {
        if (Date.now() > deadline || this.server.exitCode !== null) throw error;
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
