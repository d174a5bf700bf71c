import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { startFlags } from '../support/start-flags.ts';
import { start, type Started, type Target, TARGET_CORE } from './processes.ts';

const root = resolve(import.meta.dirname, '../..');
const facts = { pricing: { prompt: 0.0005, completion: 0.0015 }, context_length: 2_000_000, max_tokens: 100_000 };

/** A gateway in its default configuration, but for how much it takes at once, with the loopback provider as each kind of provider that it knows. */
export interface Gateway extends Target {
  /** The operator's command line on its store, answered in JSON. */
  command(...args: string[]): Promise<unknown>;
  /** A fresh start on the same data. */
  again(): Promise<Gateway>;
}

/** @param nodeFlags that the process runs with, beside those of `npm start` */
export async function startGateway(upstream: Target, nodeFlags: readonly string[] = []): Promise<Gateway> {
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
        ids: { base_url: `${origin}/ids`, models: { ids: facts } },
        anthropic: { type: 'anthropic', api_key: 'none', base_url: `${origin}/anthropic`, models: { anthropic: facts } },
        gemini: { type: 'gemini', api_key: 'none', base_url: `${origin}/gemini`, models: { gemini: facts } },
      },
    }),
  );
  const env = { ...process.env, SWITCHYARD_CONFIG: config };
  let key: string | undefined;
  const launch = async (): Promise<Gateway> => {
    const target = await start(
      'gateway',
      [...startFlags, ...nodeFlags, join(root, 'dist/main.js')],
      TARGET_CORE,
      { cwd: folder, env },
      (output): Started | undefined => {
        const port = /http:\/\/127\.0\.0\.1:(\d+)\/v1/.exec(output)?.[1];
        key ??= /\w+-live-\w{32}/.exec(output)?.[0];
        return port && key ? { port: Number(port), key } : undefined;
      },
    );
    return {
      ...target,
      command: async (...args) => {
        const cli = ['--disable-warning=ExperimentalWarning', join(root, 'dist/cli/main.js'), ...args, '--json'];
        const { stdout } = await promisify(execFile)(process.execPath, cli, { cwd: folder, env, maxBuffer: 64 * 1024 * 1024 });
        return JSON.parse(stdout) as unknown;
      },
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
