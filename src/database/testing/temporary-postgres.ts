import { execFileSync, type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, chownSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';

const START_TIMEOUT_MS = 30_000;

/** A PostgreSQL server of a spec's own, on a socket in a folder of its own: no port, nothing left behind. */
export class TemporaryPostgres {
  private constructor(
    private readonly folder: string,
    private readonly server: ChildProcess,
  ) {}

  /** Where no server is installed a spec has nothing to run on. */
  static get available(): boolean {
    try {
      execFileSync('initdb', ['--version'], { stdio: 'ignore' });
      execFileSync('postgres', ['--version'], { stdio: 'ignore' });
      return true;
    } catch {
      return false;
    }
  }

  static async start(): Promise<TemporaryPostgres> {
    const folder = mkdtempSync(join(tmpdir(), 'switchyard-pg-'));
    // A server refuses to run as root.
    const owner = process.getuid?.() === 0 ? { uid: idOf('-u'), gid: idOf('-g') } : {};
    if (owner.uid !== undefined) chownSync(folder, owner.uid, owner.gid);
    chmodSync(folder, 0o711);
    const data = join(folder, 'data');
    const options = { ...owner, cwd: folder, stdio: 'ignore' } as const;
    execFileSync('initdb', ['-D', data, '-U', 'switchyard', '--auth=trust', '--no-sync', '-E', 'UTF8', '--locale=C'], options);
    const settings = ['-c', 'listen_addresses=', '-c', `unix_socket_directories=${folder}`, '-c', 'fsync=off'];
    const postgres = new TemporaryPostgres(folder, spawn('postgres', ['-D', data, ...settings], options));
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

function idOf(flag: '-u' | '-g'): number {
  return Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }));
}
