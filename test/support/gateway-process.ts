import { type ChildProcess, execFile, spawn, type StdioOptions } from 'node:child_process';
import { promisify } from 'node:util';

export interface Exit {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** The gateway as an operator runs it: a process of its own, seen through its output, its signals and its exit code. */
export class GatewayProcess {
  stdout = '';
  stderr = '';
  readonly exited: Promise<Exit>;
  readonly #child: ChildProcess;
  #onOutput: () => void = () => undefined;

  readonly cwd: string;

  /**
   * @param command program and arguments
   * @param options.uid absent: the user of this process
   */
  constructor(
    command: readonly [string, ...string[]],
    { cwd, env = {}, uid }: { cwd: string; env?: Record<string, string>; uid?: number },
  ) {
    this.cwd = cwd;
    const [program, ...args] = command;
    const { PATH = '', HOME = '' } = process.env;
    const stdio: StdioOptions = ['ignore', 'pipe', 'pipe'];
    this.#child = spawn(program, args, { cwd, uid, env: { PATH, HOME, PORT: '0', ...env }, stdio, detached: true });
    this.#child.stdout?.on('data', (chunk: Buffer) => {
      this.stdout += chunk.toString();
      this.#onOutput();
    });
    this.#child.stderr?.on('data', (chunk: Buffer) => {
      this.stderr += chunk.toString();
      this.#onOutput();
    });
    this.exited = new Promise((done) => {
      this.#child.once('close', (code) => {
        this.#onOutput();
        done({ code, stdout: this.stdout, stderr: this.stderr });
      });
    });
  }

  /** The base address, once it is printed. Rejects when the process ends before. */
  async listening(): Promise<string> {
    const [, address] = await this.output(/listening on (http:\S+)/);
    return address!;
  }

  /** Resolves when the output has come to match. */
  output(pattern: RegExp): Promise<RegExpExecArray> {
    return new Promise((done, fail) => {
      const look = (): void => {
        const match = pattern.exec(this.stdout) ?? pattern.exec(this.stderr);
        if (match) done(match);
        else if (this.#child.exitCode !== null) fail(new Error(`ended before ${String(pattern)}:\n${this.stdout}${this.stderr}`));
      };
      this.#onOutput = look;
      look();
    });
  }

  /** Resident bytes, as the system counts them. */
  async memory(): Promise<number> {
    const { stdout } = await promisify(execFile)('ps', ['-o', 'rss=', '-p', String(this.#child.pid)]);
    return Number(stdout) * 1024;
  }

  get pid(): number {
    return this.#child.pid!;
  }

  signal(name: NodeJS.Signals): void {
    this.#child.kill(name);
  }

  /** For the end of a test, however it went: the process and whatever it has started. */
  async stop(): Promise<void> {
    try {
      process.kill(-this.#child.pid!, 'SIGKILL');
    } catch {
      // It had ended by itself.
    }
    await this.exited;
  }
}
