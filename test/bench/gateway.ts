import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { answersOf, DIMENSIONS } from './events.ts';
import { type CommandLine, commandLine } from '../support/command-line.ts';
import { startFlags } from '../support/start-flags.ts';
import { start, type Started, type Target, TARGET_CORE } from './processes.ts';

const root = resolve(import.meta.dirname, '../..');
const facts = { pricing: { prompt: 0.0005, completion: 0.0015 }, context_length: 2_000_000, max_tokens: 100_000 };

/** A model that answers as large requests for embeddings, or for a chat, as the other kind. */
const modelOf = (name: string) =>
  name.startsWith('embeddings')
    ? { ...facts, capabilities: { chat: false, embeddings: true }, embeddings: { dimensions: DIMENSIONS } }
    : facts;

/**
 * A gateway in its default configuration, but for how much it takes at once, with the loopback provider as each kind of
 * provider that it knows.
 */
export interface Gateway extends Target {
  /** The operator's command line on its store, answered in JSON. */
  readonly command: CommandLine;
  /** Where it runs, and has its data. */
  readonly folder: string;
  /** A fresh start on the same data. */
  again(): Promise<Gateway>;
}

export interface GatewayOptions {
  /** Of node, beside those of `npm start`. */
  readonly flags?: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
  /** Where it may run. */
  readonly core?: number | 'any';
  /**
   * One that its store has already, or null for a new one by the command line; without, the one that a first start
   * tells.
   */
  readonly key?: string | null;
  /** The folder of dist. */
  readonly program?: string;
}

export async function startGateway(upstream: Target, options: GatewayOptions = {}): Promise<Gateway> {
  const { flags = [], core = TARGET_CORE, program = root } = options;
  const folder = mkdtempSync(join(tmpdir(), 'switchyard-bench-'));
  const config = join(folder, 'switchyard.yaml');
  const origin = `http://127.0.0.1:${upstream.port}`;
  writeFileSync(
    config,
    JSON.stringify({
      server: { port: 0, max_open_requests: 10_000 },
      keys: { starter_credits: '1000000' },
      // Streams that are only open must not wait for each other.
      routing: { max_concurrency: 10_000 },
      providers: {
        bench: { base_url: `${origin}/v1`, models: { bench: facts } },
        cached: {
          base_url: `${origin}/cached`,
          models: {
            numbers: facts,
            components: { ...facts, pricing: { ...facts.pricing, cached_input: 0.00005, reasoning_output: 0.002 } },
          },
        },
        ...Object.fromEntries(
          Object.keys(answersOf).map((name) => [name, { base_url: `${origin}/${name}`, models: { [name]: modelOf(name) } }]),
        ),
        ids: { base_url: `${origin}/ids`, models: { ids: facts } },
        anthropic: { type: 'anthropic', api_key: 'none', base_url: `${origin}/anthropic`, models: { anthropic: facts } },
        gemini: { type: 'gemini', api_key: 'none', base_url: `${origin}/gemini`, models: { gemini: facts } },
      },
    }),
  );
  const env = { ...process.env, ...options.env, SWITCHYARD_CONFIG: config };
  const command = commandLine(join(program, 'dist'), { cwd: folder, env });
  let key = options.key === null ? await newKey(command) : options.key;
  const launch = async (): Promise<Gateway> => {
    const target = await start(
      'gateway',
      [...startFlags, ...flags, join(program, 'dist/main.js')],
      core,
      { cwd: folder, env },
      (output): Started | undefined => {
        const port = /http:\/\/127\.0\.0\.1:(\d+)\/v1/.exec(output)?.[1];
        key ??= /\w+-live-\w{32}/.exec(output)?.[0];
        return port && key ? { port: Number(port), key } : undefined;
      },
    );
    return {
      ...target,
      command,
      folder,
      again: async () => {
        await target.stop();
        return launch();
      },
      stop: async () => {
        await target.stop();
        rmSync(folder, { recursive: true, force: true });
      },
    };
  };
  return launch();
}

async function newKey(command: Gateway['command']): Promise<string> {
  await command('accounts', 'create', 'bench');
  await command('credits', 'grant', '--account', 'bench', '--env', 'live', '1000000');
  const { key } = (await command('keys', 'create', '--account', 'bench', '--env', 'live')) as { key: string };
  return key;
}
