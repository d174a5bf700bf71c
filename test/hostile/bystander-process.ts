import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

export interface Target {
  /** Of the gateway. */
  readonly pid: number;
  readonly url: string;
  readonly key: string;
  /** The model of the attacked provider that it asks now and then. */
  readonly neighbour: string;
}

export type Telling = { readonly what: 'ask'; readonly target: Target } | { readonly what: 'rest' | 'begin' | 'report' };

/**
 * Milliseconds of each request, without those in which the gateway or the bystander waited for a core, by whose
 * provider was asked; and what failed how often.
 */
export interface Report {
  readonly quiet: readonly number[];
  readonly neighbour: readonly number[];
  readonly failures: readonly (readonly [string, number])[];
}

/** The program beside this file, seen from the one that attacks. */
export class BystanderProcess {
  readonly #child: ChildProcess;
  readonly origin: string;

  private constructor(child: ChildProcess, port: number) {
    this.#child = child;
    this.origin = `http://127.0.0.1:${port}`;
  }

  static async start(): Promise<BystanderProcess> {
    const child = fork(join(import.meta.dirname, 'bystander.ts'), { execArgv: ['--disable-warning=ExperimentalWarning'] });
    const [{ port }] = (await once(child, 'message')) as [{ port: number }];
    return new BystanderProcess(child, port);
  }

  asks(target: Target): void {
    this.#tell({ what: 'ask', target });
  }

  rests(): void {
    this.#tell({ what: 'rest' });
  }

  begins(): void {
    this.#tell({ what: 'begin' });
  }

  /** Of the requests since `begins`, once all of them have ended. */
  async report(): Promise<Report> {
    const told = once(this.#child, 'message') as Promise<[Report]>;
    this.#tell({ what: 'report' });
    return (await told)[0];
  }

  stop(): void {
    this.#child.disconnect();
  }

  #tell(telling: Telling): void {
    this.#child.send(telling);
  }
}
