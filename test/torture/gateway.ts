import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { GatewayProcess } from '../support/gateway-process.ts';
import type { Silence } from './lapses.ts';

const START_TIMEOUT = 60_000;
const STOP_TIMEOUT = 30_000;
const PROVE_EVERY = 20;

/** One life of a gateway. */
export interface Life {
  readonly url: string;
  /** The name of its leases. */
  readonly node: string;
  readonly silences: Silence[];
  /**
   * When the last question was sent to it that it has answered: the turns of its loop in which earlier answers ended were over by then, and with
   * them what it had to write down. On the clock of `performance.now()`.
   */
  provenUntil: number;
  killedAt: number | undefined;
}

/** A gateway on a machine of its own, which is restarted when it has been killed. */
export class TorturedGateway {
  readonly configFile: string;
  readonly lives: Life[] = [];
  /** What nobody had asked for. */
  readonly troubles: string[] = [];
  readonly #program: string;
  readonly #folder: string;
  readonly #name: string;
  #process: GatewayProcess | undefined;
  #life: Life | undefined;
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

  get life(): Life | undefined {
    return this.#life;
  }

  get up(): boolean {
    return this.#life !== undefined && this.#pausedAt === undefined;
  }

  /** Resolves when it listens. A start that fails is tried again: its store may be down. */
  async start(): Promise<void> {
    const began = performance.now();
    while (!this.#life) {
      const gateway = this.#spawn();
      const ended = gateway.exited.then(() => undefined);
      const address = await Promise.race([gateway.listening().catch(() => undefined), ended]);
      if (this.#process !== gateway) return;
      if (address) {
        const url = `${address.replace(/\/v1$/, '')}/v1`;
        this.#life = { url, node: this.#node(), silences: [], provenUntil: 0, killedAt: undefined };
        this.lives.push(this.#life);
        void this.#prove(this.#life);
      } else if (performance.now() - began > START_TIMEOUT)
        throw new Error(`${this.#name} does not start: ${gateway.stdout}${gateway.stderr}`);
      else await wait(100);
    }
  }

  /** Starts it and kills it before it may have begun to listen. */
  async startInVain(after: number): Promise<void> {
    const gateway = this.#spawn();
    await Promise.race([gateway.exited, wait(after)]);
    this.#process = undefined;
    await gateway.stop();
  }

  kill(): void {
    const gateway = this.#process!;
    this.#process = undefined;
    const now = performance.now();
    this.#life!.killedAt = now;
    gateway.signal('SIGKILL');
    this.#life!.silences.push({ what: `${this.#name} killed`, from: now, to: Infinity });
    this.#pausedAt = undefined;
    this.#life = undefined;
  }

  pause(): void {
    this.#pausedAt = performance.now();
    this.#life!.silences.push({ what: `${this.#name} paused`, from: this.#pausedAt, to: Infinity });
    this.#process!.signal('SIGSTOP');
  }

  /** Resolves when it does something again. */
  async resume(): Promise<void> {
    this.#process!.signal('SIGCONT');
    await fetch(new URL('/health/live', this.#life!.url)).catch(() => undefined);
    this.#pausedAt = undefined;
    this.#life!.silences.at(-1)!.to = performance.now();
  }

  /** Ends it as an operator does; tells of whatever it leaves behind. */
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

  /** For the end of the program, however it came. */
  async dispose(): Promise<void> {
    const gateway = this.#process;
    this.#process = undefined;
    await gateway?.stop();
  }

  /** What the process calls itself: its journal is the last that was begun. */
  #node(): string {
    return this.#journals().sort().at(-1)!;
  }

  /** Their processes. */
  #journals(): string[] {
    return readdirSync(join(this.#folder, 'data/journal')).flatMap((name) => /^(.+)\.journal$/.exec(name)?.[1] ?? []);
  }

  #spawn(): GatewayProcess {
    const gateway = new GatewayProcess([process.execPath, join(this.#program, 'main.js')], {
      cwd: this.#folder,
      env: { SWITCHYARD_CONFIG: this.configFile },
    });
    this.#process = gateway;
    void this.#mourn(gateway);
    return gateway;
  }

  /** Asks it how it is, again and again. */
  async #prove(life: Life): Promise<void> {
    while (this.#life === life) {
      const sentAt = performance.now();
      const answered = await fetch(new URL('/health/live', life.url)).then(
        (response) => response.text(),
        () => undefined,
      );
      if (answered !== undefined && life.killedAt === undefined) life.provenUntil = sentAt;
      await wait(PROVE_EVERY);
    }
  }

  async #mourn(gateway: GatewayProcess): Promise<void> {
    const { code, stderr } = await gateway.exited;
    // One that has not served yet is started again; one that has was to live on.
    if (this.#process !== gateway || !this.#life) return;
    this.troubles.push(`${this.#name} ended by itself with ${code}: ${stderr.slice(-2000)}`);
    this.#process = undefined;
    this.#life = undefined;
  }
}
