import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { type CommandLine, commandLine } from '../support/command-line.ts';
import { GatewayProcess } from '../support/gateway-process.ts';
import { startFlags } from '../support/start-flags.ts';

const program = resolve(import.meta.dirname, '../../dist');

export interface StartedGateway {
  /** Ends with /v1. */
  readonly url: string;
  readonly key: string;
  readonly pid: number;
  readonly command: CommandLine;
  stop(): Promise<void>;
}

/** The built gateway as a process of its own, with a data folder of its own. */
export async function startGateway(config: object): Promise<StartedGateway> {
  const cwd = mkdtempSync(join(tmpdir(), 'switchyard-chaos-'));
  const usual = { keys: { starter_credits: '1000000' }, observability: { log_level: 'error' } };
  writeFileSync(join(cwd, 'switchyard.yaml'), JSON.stringify({ ...usual, ...config }));
  const gateway = new GatewayProcess([process.execPath, ...startFlags, join(program, 'main.js')], { cwd });
  const url = await gateway.listening();
  const [key] = await gateway.output(/\w+-live-\w{32}/);
  return {
    url,
    key,
    pid: gateway.pid,
    command: commandLine(program, { cwd }),
    async stop() {
      gateway.signal('SIGTERM');
      await gateway.exited;
      rmSync(cwd, { recursive: true, force: true });
    },
  };
}
