import { startupBanner } from './startup-banner.js';
import { onEndSignal } from './signals.js';
import { ConfigError } from '../config/config-problems.js';
import { configPath } from '../config/load-config.js';
import { changes } from '../config/restart-settings.js';
import { watchFile } from '../config/watch-file.js';
import { createLog, type Log, passOnLog } from '../observability/log.js';
import { type Configuration, loadConfiguration } from '../providers/configuration.js';
import { workerCount } from './workers/worker-count.js';
import { WorkerFailed, WorkerPool } from './workers/worker-pool.js';

/** Starts the workers and keeps them; itself it serves nothing. */
export async function startWorkers({ config, source }: Configuration): Promise<void> {
  const log = createLog(config.observability);
  const pool = new WorkerPool(log, { stdout: (lines) => process.stdout.write(lines), stderr: passOnLog });
  onEndSignal(
    () => void pool.stop().then((well) => process.exit(well ? 0 : 1)),
    () => {
      pool.kill();
      process.exit(1);
    },
  );
  try {
    const listening = await pool.start(config, workerCount(config));
    console.log(`${startupBanner(listening, undefined)}\nWorkers: ${workerCount(config)}`);
  } catch (error) {
    await pool.stop();
    // A worker has said why itself.
    if (!(error instanceof WorkerFailed)) throw error;
    process.exit(1);
  }
  const reload = reloader({ config, log, pool });
  watchFile(configPath(source), reload);
  process.on('SIGHUP', reload);
}

/** Brings the configuration as it is now into force, whole or not at all, by new workers. What is asked for meanwhile is done afterwards, once. */
function reloader({ config, log, pool }: { config: Configuration['config']; log: Log; pool: WorkerPool }): () => void {
  let current = config;
  let running = false;
  let again = false;
  const reload = async (): Promise<void> => {
    try {
      const { config: next } = await loadConfiguration();
      const changed = changes(current, next);
      await pool.replace(next, workerCount(next));
      current = next;
      log.info(`configuration read again: ${changed.join(', ') || 'nothing'} changed; ${workerCount(next)} new workers serve`);
    } catch (error) {
      const problems = error instanceof ConfigError ? error.problems.join('; ') : (error as Error).message;
      log.error(`the new configuration cannot be used, the previous one stays: ${problems}`);
    }
  };
  return () => {
    again = true;
    if (running) return;
    running = true;
    void (async () => {
      for (; again;) {
        again = false;
        await reload();
      }
      running = false;
    })();
  };
}
