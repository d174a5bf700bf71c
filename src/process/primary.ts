import { ConfigError } from '../config/config-problems.js';
import type { Config } from '../config/config.schema.js';
import { configPath, type LoadOptions, settingSources } from '../config/load-config.js';
import { changes } from '../config/restart-settings.js';
import { watchFile } from '../config/watch-file.js';
import { createLog, type Log, passOnLog } from '../observability/log.js';
import { type Configuration, loadConfiguration } from '../providers/registry/configuration.js';
import { onEndSignal } from './signals.js';
import { startupBanner } from './startup-banner.js';
import type { Served } from './workers/messages.js';
import { workerCount } from './workers/worker-count.js';
import { WorkerFailed, WorkerPool } from './workers/worker-pool.js';

/** Starts the workers and replaces those that end. This process itself serves nothing. */
export async function startPrimary({ config, source, notInstalled }: Configuration): Promise<void> {
  const log = createLog(config);
  for (const sentence of notInstalled) log.warn(sentence);
  const pool = new WorkerPool(log, { stdout: (lines) => process.stdout.write(lines), stderr: passOnLog });
  onEndSignal(
    () => void pool.stop().then((well) => process.exit(well ? 0 : 1)),
    () => {
      pool.kill();
      process.exit(1);
    },
  );
  try {
    const listening = await pool.start(served(config, source), workerCount(config));
    console.log(`${startupBanner(listening)}\nWorkers: ${workerCount(config)}`);
  } catch (error) {
    await pool.stop();
    // The worker that failed has printed the reason itself.
    if (!(error instanceof WorkerFailed)) throw error;
    process.exit(1);
  }
  const reload = reloader(config, source, log, pool);
  watchFile(configPath(source), reload);
  process.on('SIGHUP', reload);
}

/** @throws ConfigError where the file cannot be read any more */
function served(config: Config, source: LoadOptions): Served {
  return { config, sources: [...settingSources(source)] };
}

/**
 * Makes a function that reads the configuration again and starts new workers with it. A configuration that cannot be
 * used changes nothing. Calls during a reload lead to one more reload after it.
 * @param current the configuration in force
 * @param source what it was read from
 */
function reloader(current: Config, source: LoadOptions, log: Log, pool: WorkerPool): () => void {
  let last: Promise<void> = Promise.resolve();
  let waiting = false;
  const reload = async (): Promise<void> => {
    try {
      const { config: next, source: read } = await loadConfiguration({ file: source.file });
      const changed = changes(current, next);
      await pool.replace(served(next, read), workerCount(next));
      current = next;
      source = read;
      log.info(`configuration read again: ${changed.join(', ') || 'nothing'} changed; ${workerCount(next)} new workers serve`);
    } catch (error) {
      const problems = error instanceof ConfigError ? error.problems.join('; ') : (error as Error).message;
      log.error(`the new configuration cannot be used, the previous one stays: ${problems}`);
    }
  };
  return () => {
    if (waiting) return;
    waiting = true;
    last = last.then(() => {
      waiting = false;
      return reload();
    });
  };
}
