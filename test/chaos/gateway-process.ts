import { execFile, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { startFlags } from '../support/start-flags.ts';

const root = join(dirname(fileURLToPath(import.meta.url)), '../..');

export interface GatewayProcess {
  readonly url: string;
  readonly key: string;
  readonly pid: number;
  /** The operator's command line on its store, answered in JSON. */
  command(...args: string[]): Promise<unknown>;
  stop(): Promise<void>;
}

/** The built gateway as a process of its own, with a data folder of its own. */
export async function startGateway(config: object): Promise<GatewayProcess> {
  const folder = mkdtempSync(join(tmpdir(), 'switchyard-chaos-'));
  const file = join(folder, 'switchyard.yaml');
  writeFileSync(
    file,
    JSON.stringify({ server: { port: 0 }, keys: { starter_credits: '1000000' }, observability: { log_level: 'error' }, ...config }),
  );
  const env = { ...process.env, SWITCHYARD_CONFIG: file };
  const child = spawn(process.execPath, [...startFlags, join(root, 'dist/main.js')], {
    cwd: folder,
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  await new Promise<void>((resolve, reject) => {
    child.once('exit', () => reject(new Error(`the gateway ended: ${output}`)));
    child.stdout.on('data', (data: Buffer) => {
      output += data.toString();
      if (/curl .*\n/.test(output)) resolve();
    });
  });
  return {
    url: /http:\/\/\S+\/v1/.exec(output)![0],
    key: /\w+-live-\w{32}/.exec(output)![0],
    pid: child.pid!,
    async command(...args) {
      const cli = ['--disable-warning=ExperimentalWarning', join(root, 'dist/cli/main.js'), ...args, '--json'];
      const { stdout } = await promisify(execFile)(process.execPath, cli, { cwd: folder, env, maxBuffer: 64 * 1024 * 1024 });
      return JSON.parse(stdout) as unknown;
    },
    async stop() {
      const ended = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGTERM');
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
