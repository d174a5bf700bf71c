import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { GatewayProcess } from '../support/gateway-process.ts';
import type { Outage } from './lapses.ts';

/** Milliseconds, as all times here. */
const START_TIMEOUT = 60_000;
const STOP_TIMEOUT = 30_000;
const HEALTH_INTERVAL = 20;

/** One run of a gateway: from its start to its end or kill. */
export interface GatewayRun {
  readonly url: string;
  /** The node's id, which its leases bear. */
  readonly node: string;
  readonly outages: Outage[];
  /**
   * When the last health check was sent that it has answered, on the clock of `performance.now()`. The turns of its
   * event loop in which earlier answers ended were over by then, and what they had to write was written.
   */
  lastHealthyAt: number;
  killedAt: number | undefined;
}

/** A gateway on a machine of its own, which is restarted when it has been killed. */
export class TorturedGateway {
  readonly configFile: string;
  readonly runs: GatewayRun[] = [];
  /** What it did that no fault explains. */
  readonly troubles: string[] = [];
  readonly #program: string;
  readonly #folder: string;
  readonly #name: string;
  #process: GatewayProcess | undefined;
  #run: GatewayRun | undefined;
  #pausedAt: number | undefined;
  /** A fault is under way. */
  busy = false;

  /**
   * @param program folder of the build
   * @param folder of its own
   */
  constructor(name: string, program: string, folder: string, config: object) {
    this.#name = name;
    this.#program = program;
    this.#folder = folder;
    mkdirSync(folder, { recursive: true });
    this.configFile = join(folder, 'switchyard.yaml');
    // JSON is YAML.
    writeFileSync(this.configFile, JSON.stringify(config));
  }

  get run(): GatewayRun | undefined {
    return this.#run;
  }

  get up(): boolean {
    return this.#run !== undefined && this.#pausedAt === undefined;
  }

  /** Resolves when it listens. A start that fails is tried again: its store may be down. */
  async start(): Promise<void> {
    const began = performance.now();
    while (!this.#run) {
      const gateway = this.#spawn();
      const ended = gateway.exited.then(() => undefined);
      const address = await Promise.race([gateway.listening().catch(() => undefined), ended]);
      if (this.#process !== gateway) return;
      if (address) {
        const url = `${address.replace(/\/v1$/, '')}/v1`;
        this.#run = { url, node: this.#node(), outages: [], lastHealthyAt: 0, killedAt: undefined };
        this.runs.push(this.#run);
        void this.#pollHealth(this.#run);
      } else if (performance.now() - began > START_TIMEOUT)
        throw new Error(`${this.#name} does not start: ${gateway.stdout}${gateway.stderr}`);
      else await wait(100);
    }
  }

  /** Starts it and kills it, perhaps before it listens. */
  async startAndKill(after: number): Promise<void> {
    const gateway = this.#spawn();
    await Promise.race([gateway.exited, wait(after)]);
    this.#process = undefined;
    await gateway.stop();
  }

  kill(): void {
    const gateway = this.#process!;
    this.#process = undefined;
    const now = performance.now();
    this.#run!.killedAt = now;
    gateway.signal('SIGKILL');
    this.#run!.outages.push({ what: `${this.#name} killed`, from: now, to: Infinity });
    this.#pausedAt = undefined;
    this.#run = undefined;
  }

  pause(): void {
    this.#pausedAt = performance.now();
    this.#run!.outages.push({ what: `${this.#name} paused`, from: this.#pausedAt, to: Infinity });
    this.#process!.signal('SIGSTOP');
  }

  /** Resolves when it answers again. */
  async resume(): Promise<void> {
    this.#process!.signal('SIGCONT');
    await fetch(new URL('/health/live', this.#run!.url)).catch(() => undefined);
    this.#pausedAt = undefined;
    this.#run!.outages.at(-1)!.to = performance.now();
  }

  /** Ends it as an operator does, and notes whatever it leaves behind. */
  async stop(): Promise<void> {
    const gateway = this.#process;
    if (!gateway) return;
    this.#process = undefined;
    gateway.signal('SIGTERM');
    const exit = await Promise.race([gateway.exited, wait(STOP_TIMEOUT)]);
    if (exit?.code !== 0) this.troubles.push(`${this.#name} ended with ${exit ? exit.code : 'nothing'} on SIGTERM: ${exit?.stderr ?? ''}`);
    const journals = this.#journals();
    if (journals.length > 0) this.troubles.push(`${this.#name} has left ${journals.length} journals`);
  }

  /** Ends it at the end of the program, however that came. */
  async dispose(): Promise<void> {
    const gateway = this.#process;
    this.#process = undefined;
    await gateway?.stop();
  }

  /** The node's id: its journal is the last that was begun. */
  #node(): string {
    return this.#journals().sort().at(-1)!;
  }

  /** The node ids of the journals. */
  #journals(): string[] {
    return readdirSync(join(this.#folder, 'data/journal')).flatMap((name) => /^(.+)\.journal$/.exec(name)?.[1] ?? []);
  }

  #spawn(): GatewayProcess {
    const gateway = new GatewayProcess([process.execPath, join(this.#program, 'main.js')], {
      cwd: this.#folder,
      env: { SWITCHYARD_CONFIG: this.configFile },
    });
    this.#process = gateway;
    void this.#watchExit(gateway);
    return gateway;
  }

  /** Checks its health again and again. */
  async #pollHealth(run: GatewayRun): Promise<void> {
    while (this.#run === run) {
      const sentAt = performance.now();
      const answered = await fetch(new URL('/health/live', run.url)).then(
        (response) => response.text(),
        () => undefined,
      );
      if (answered !== undefined && run.killedAt === undefined) run.lastHealthyAt = sentAt;
      await wait(HEALTH_INTERVAL);
    }
  }

  async #watchExit(gateway: GatewayProcess): Promise<void> {
    const { code, stderr } = await gateway.exited;
    // A process that has not served yet is started again; one that has served should have gone on.
    if (this.#process !== gateway || !this.#run) return;
    this.troubles.push(`${this.#name} ended by itself with ${code}: ${stderr.slice(-2000)}`);
    this.#process = undefined;
    this.#run = undefined;
  }
}
