import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { type CommandLine, commandLine } from '../support/command-line.ts';
import { GatewayProcess } from '../support/gateway-process.ts';
import { metricOf } from '../support/process-figures.ts';
import { startFlags } from '../support/start-flags.ts';

/** The heap that the gateway gets. */
const HEAP = '--max-old-space-size=1024';
/** Milliseconds. */
const STOP_TIMEOUT = 30_000;
const NODE = { NODE_OPTIONS: HEAP, NODE_NO_WARNINGS: '1' };

export interface NewCustomer {
  readonly name: string;
  readonly account: string;
  /** Nano-credits. */
  readonly credits: bigint;
  readonly keyId: string;
  readonly key: string;
}

/** The built gateway with a heap of 1 GB, as a process that is started anew whenever it has died. */
export class HostileGateway {
  url = '';
  readonly #program: string;
  readonly #folder: string;
  readonly #file: string;
  readonly command: CommandLine;
  #process: GatewayProcess | undefined;
  #customers = 0;
  #config: object = {};

  /** @param program folder of the build */
  constructor(program: string, folder: string) {
    this.#program = program;
    this.#folder = folder;
    this.#file = join(folder, 'switchyard.yaml');
    this.command = commandLine(program, { cwd: folder, env: { SWITCHYARD_CONFIG: this.#file } });
    mkdirSync(folder, { recursive: true });
  }

  get pid(): number {
    return this.#process!.pid;
  }

  /** Whether the process that was started last still runs. */
  get alive(): boolean {
    return this.#process !== undefined;
  }

  /** Why it has died, where it has. */
  lastWords = '';

  /** Starts it again as it was. */
  restart(): Promise<void> {
    return this.start(this.#config);
  }

  async start(config: object): Promise<void> {
    this.#config = config;
    // JSON is YAML.
    writeFileSync(this.#file, JSON.stringify(config));
    const gateway = new GatewayProcess([process.execPath, ...startFlags, join(this.#program, 'main.js')], {
      cwd: this.#folder,
      env: { SWITCHYARD_CONFIG: this.#file, ...NODE },
    });
    this.#process = gateway;
    this.url = await gateway.listening();
    void this.#watch(gateway);
  }

  /** Ends it as an operator does. @returns whether it ended by itself */
  async stop(): Promise<boolean> {
    const gateway = this.#process;
    if (!gateway) return true;
    this.#process = undefined;
    gateway.signal('SIGTERM');
    const exit = await Promise.race([gateway.exited, wait(STOP_TIMEOUT)]);
    await gateway.stop();
    return exit?.code === 0;
  }

  async customer(credits: string, environment: 'live' | 'test' = 'live'): Promise<NewCustomer> {
    const name = `Customer ${++this.#customers}`;
    const { id: account } = (await this.command('accounts', 'create', name)) as { id: string };
    await this.command('credits', 'grant', credits, '--account', account, '--env', environment);
    return { name, account, credits: BigInt(Math.round(Number(credits) * 1e9)), ...(await this.key(account, environment)) };
  }

  async key(account: string, environment: 'live' | 'test' = 'live'): Promise<{ keyId: string; key: string }> {
    const made = (await this.command('keys', 'create', '--account', account, '--env', environment)) as { id: string; key: string };
    return { keyId: made.id, key: made.key };
  }

  async verified(): Promise<boolean> {
    const found = this.command('ledger', 'verify') as Promise<{ ok: boolean }>;
    return found.then(
      ({ ok }) => ok,
      () => false,
    );
  }

  /** The sum of a metric's series. @param without series whose labels match are left out */
  metric(name: string, without?: RegExp): Promise<number> {
    return metricOf(this.url, `switchyard_${name}`, without);
  }

  async #watch(gateway: GatewayProcess): Promise<void> {
    const { code, stderr } = await gateway.exited;
    if (this.#process !== gateway) return;
    this.lastWords = `ended with ${code}: ${stderr.split('\n').find((line) => /FATAL|Error/.test(line)) ?? stderr.slice(-200)}`;
    this.#process = undefined;
  }
}
