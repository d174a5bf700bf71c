import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execPath } from 'node:process';
import { Client } from 'pg';
import type { Config } from '../../src/config/config.schema.js';
import { TemporaryPostgres } from '../../src/database/testing/temporary-postgres.js';
import { Administration } from './administration.js';
import { buildProgram } from './built-program.js';
import { type CommandLine, switchyard } from './command-line.js';
import type { DeepPartial } from './create-test-app.js';
import { freePort } from './free-port.js';
import { GatewayProcess } from './gateway-process.js';
import { until } from './until.js';

export interface Node {
  readonly process: GatewayProcess;
  /** Ends with /v1. */
  readonly url: string;
}

export interface ClockedNode extends Node {
  /** Has its clock go on from a time. @param time milliseconds since 1970 */
  readonly setClock: (time: number) => Promise<void>;
}

export interface NewCustomer {
  readonly account: string;
  readonly keyId: string;
  readonly key: string;
}

/**
 * The built program as several gateways and a command line, each in a folder of its own as on machines of their own, on
 * one PostgreSQL.
 */
export class Cluster {
  readonly #folders: string[] = [];
  readonly #processes: GatewayProcess[] = [];
  #customers = 0;
  #cli: CommandLine<string> | undefined;
  /** Of an operator, made by the command line. */
  #token: string | undefined;
  /** The gateway that was started last. */
  #last: Node | undefined;

  private constructor(
    private readonly program: string,
    readonly postgres: TemporaryPostgres,
  ) {
    this.#folders.push(program);
  }

  static async begin(): Promise<Cluster> {
    const program = await buildProgram();
    return new Cluster(program, await TemporaryPostgres.startServer());
  }

  /** All that tells a gateway that it is one of several. */
  get env(): Record<string, string> {
    return { DATABASE_URL: this.postgres.url, SWITCHYARD_PEPPER: 'the pepper of every gateway of the cluster' };
  }

  /**
   * @param settings for a switchyard.yaml; without them there is none
   * @param flags of node
   */
  async process(env = this.env, settings?: DeepPartial<Config>, flags: readonly string[] = []): Promise<GatewayProcess> {
    const cwd = await this.#folder();
    // JSON is YAML.
    if (settings) await writeFile(join(cwd, 'switchyard.yaml'), JSON.stringify(settings));
    return this.#begin(cwd, env, flags);
  }

  #begin(cwd: string, env: Record<string, string>, flags: readonly string[] = []): GatewayProcess {
    const process = new GatewayProcess([execPath, ...flags, join(this.program, 'dist/main.js')], { cwd, env });
    this.#processes.push(process);
    return process;
  }

  async start(settings?: DeepPartial<Config>): Promise<Node> {
    const process = await this.process(this.env, settings);
    return (this.#last = { process, url: await process.listening() });
  }

  /** A gateway whose clock a test can move. */
  async startClocked(settings?: DeepPartial<Config>): Promise<ClockedNode> {
    const port = await freePort();
    const process = await this.process(this.env, settings, ['--import', `${new URL('moved-clock.mjs', import.meta.url).href}?${port}`]);
    const setClock = async (time: number) => void (await (await fetch(`http://127.0.0.1:${port}/${time}`)).text());
    return { process, url: await process.listening(), setClock };
  }

  /** A gateway once more, in the folder of one that has ended. */
  async again({ process: { cwd } }: Node): Promise<Node> {
    const process = this.#begin(cwd, this.env);
    return { process, url: await process.listening() };
  }

  /** An operator at a gateway, which knows of them. */
  async operator({ url }: Node): Promise<Administration> {
    this.#token ??= (JSON.parse(await this.cli('tokens', 'create', '--role', 'operator', '--json')) as { token: string }).token;
    const operator = new Administration(url.replace(/\/v1$/, ''), this.#token);
    await until(async () => (await operator.get('accounts')).status === 200, 'the token is known');
    return operator;
  }

  /** What a command of `switchyard` prints. */
  async cli(...args: string[]): Promise<string> {
    const { PATH = '', HOME = '' } = process.env;
    this.#cli ??= switchyard(join(this.program, 'dist'), { cwd: await this.#folder(), env: { PATH, HOME, ...this.env } });
    return this.#cli(...args);
  }

  /** An account with a key, made at the gateway that was started last. */
  async customer(amount: string, environment: 'live' | 'test' = 'live'): Promise<NewCustomer> {
    const operator = await this.operator(this.#last!);
    const account = `Customer ${++this.#customers}`;
    const grant = { id: `grant-${this.#customers}`, amount, environment };
    const { id } = (await operator.post('accounts', { name: account }).expect(200)).body as { id: string };
    await operator.post(`accounts/${id}/credits/grants`, grant).expect(200);
    const made = (await operator.post(`accounts/${id}/keys`, { environment }).expect(200)).body as { id: string; key: string };
    return { account, keyId: made.id, key: made.key };
  }

  /** Of an account in nano-credits. */
  async balance(account: string, environment: 'live' | 'test' = 'live'): Promise<{ posted: bigint; reserved: bigint }> {
    const [row] = await this.query<{ posted: string; reserved: string }>(
      `select posted, reserved from balance join account on account.id = account_id where name = $1 and environment = $2`,
      account,
      environment,
    );
    return { posted: BigInt(row!.posted), reserved: BigInt(row!.reserved) };
  }

  /** What the store has; integers are texts. */
  async query<T extends object>(statement: string, ...values: string[]): Promise<T[]> {
    const client = new Client({ connectionString: this.postgres.url });
    await client.connect();
    try {
      return (await client.query<T>(statement, values)).rows;
    } finally {
      await client.end();
    }
  }

  async end(): Promise<void> {
    this.#cli?.end();
    await Promise.all(this.#processes.map((process) => process.stop()));
    await this.postgres.stop();
    await Promise.all(this.#folders.map((folder) => rm(folder, { recursive: true, force: true })));
  }

  async #folder(): Promise<string> {
    const folder = await mkdtemp(join(tmpdir(), 'switchyard-node-'));
    this.#folders.push(folder);
    return folder;
  }
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: { readonly object?: string; readonly error?: { readonly code: string; readonly message: string } };
}

export async function complete(url: string, key: string, body: object): Promise<Answer> {
  const response = await fetch(`${url}/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ messages: [{ role: 'user', content: 'Hello' }], ...body }),
  });
  return { status: response.status, headers: response.headers, body: (await response.json()) as Answer['body'] };
}

/** The status of the list of models: is the key known? */
export async function listModels(url: string, key: string): Promise<number> {
  const response = await fetch(`${url}/models`, { headers: { authorization: `Bearer ${key}` } });
  await response.arrayBuffer();
  return response.status;
}
