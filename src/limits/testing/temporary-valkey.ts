import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo, connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describeService } from '../../common/testing/describe-service.js';

const START_TIMEOUT_MS = 30_000;

const PASSWORD = 'the-password-of-a-spec';

/** A Valkey or Redis server for one spec, on a port of the loopback, that keeps nothing. */
export class TemporaryValkey {
  readonly #folder = mkdtempSync(join(tmpdir(), 'switchyard-valkey-'));
  #server: ChildProcess | undefined;

  private constructor(
    private readonly executable: string,
    readonly port: number,
  ) {}

  /** Whether a server is installed. */
  static get available(): boolean {
    return program() !== undefined;
  }

  /** @throws Error where none is installed */
  static async start(): Promise<TemporaryValkey> {
    const found = program();
    if (found === undefined) throw new Error('no valkey-server or redis-server on the path');
    const valkey = new TemporaryValkey(found, await freePort());
    await valkey.resume();
    return valkey;
  }

  /** A password stands in it. */
  get url(): string {
    return `redis://:${PASSWORD}@127.0.0.1:${this.port}`;
  }

  get password(): string {
    return PASSWORD;
  }

  /** Ends the server, and with it all that it holds. */
  async halt(): Promise<void> {
    if (!this.#server || this.#server.exitCode !== null || this.#server.signalCode !== null) return;
    this.#server.kill('SIGKILL');
    await once(this.#server, 'exit');
  }

  /** Stops its clock, or lets it go on: it answers nothing meanwhile. */
  freeze(frozen: boolean): void {
    this.#server!.kill(frozen ? 'SIGSTOP' : 'SIGCONT');
  }

  /** Starts the server, also once more. */
  async resume(): Promise<void> {
    const settings = ['--port', String(this.port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', '--requirepass', PASSWORD];
    this.#server = spawn(this.executable, settings, { cwd: this.#folder, stdio: 'ignore' });
    const deadline = Date.now() + START_TIMEOUT_MS;
    while (!(await answers(this.port))) {
      if (Date.now() > deadline || this.#server.exitCode !== null) throw new Error(`${this.executable} does not start`);
      await delay(20);
    }
  }

  async stop(): Promise<void> {
    await this.halt();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/** Specs that need a Valkey or Redis. */
export function describeValkey(name: string, specs: () => void): void {
  describeService('Redis', TemporaryValkey.available, name, specs);
}

function program(): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  const programs = ['valkey-server', 'redis-server'].flatMap((name) => folders.map((folder) => join(folder, name)));
  return programs.find((path) => existsSync(path));
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const client = connect(port, '127.0.0.1', () => {
      client.destroy();
      resolve(true);
    });
    client.on('error', () => resolve(false));
  });
}
