import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execPath } from 'node:process';
import type { Config } from '../../src/config/config.schema.js';
import { buildProgram } from './built-program.js';
import type { DeepPartial } from './create-test-app.js';
import { GatewayProcess } from './gateway-process.js';
import { startFlags } from './start-flags.js';

export interface StartedGateway {
  readonly process: GatewayProcess;
  /** Ends with /v1. */
  readonly baseURL: string;
  readonly liveKey: string;
}

/** The program as it is shipped, and the gateways that are run from it. */
export class GatewayProgram {
  readonly #folders: string[] = [];
  readonly #processes: GatewayProcess[] = [];

  private constructor(private readonly folder: string) {
    this.#folders.push(folder);
  }

  static async build(): Promise<GatewayProgram> {
    return new GatewayProgram(await buildProgram());
  }

  /**
   * A gateway with an empty data folder.
   * @param flags of node, beside those of `npm start`
   */
  async start(settings: DeepPartial<Config> = {}, flags: readonly string[] = []): Promise<StartedGateway> {
    const cwd = await mkdtemp(join(tmpdir(), 'switchyard-process-'));
    this.#folders.push(cwd);
    // JSON is YAML.
    await writeFile(
      join(cwd, 'switchyard.yaml'),
      JSON.stringify({ observability: { log_level: 'error' }, sandbox: { live: true }, ...settings }),
    );
    const process = this.startIn(cwd, flags);
    const baseURL = await process.listening();
    const [liveKey] = await process.output(/\bsy-live-\w{32}\b/);
    return { process, baseURL, liveKey };
  }

  /** A gateway with what another one has left in its folder. */
  startIn(cwd: string, flags: readonly string[] = []): GatewayProcess {
    const process = new GatewayProcess([execPath, ...startFlags, ...flags, join(this.folder, 'dist/main.js')], { cwd });
    this.#processes.push(process);
    return process;
  }

  /** Ends and removes everything. */
  async dispose(): Promise<void> {
    await Promise.all(this.#processes.map((process) => process.stop()));
    await Promise.all(this.#folders.map((folder) => rm(folder, { recursive: true, force: true })));
  }
}
