import { startupBanner } from './startup-banner.js';
import { startupErrorMessage } from './startup-error.js';
import { onEndSignal } from './signals.js';
import { workerId } from '../common/cluster-worker.js';
import type { Config } from '../config/config.schema.js';
import { type Configuration, loadConfiguration } from '../providers/configuration.js';
import { workerCount } from './workers/worker-count.js';

/**
 * Starts the gateway, tells where it is and lets a signal end it.
 * @returns whether this process serves now
 */
export async function start(): Promise<boolean> {
  if (workerId !== undefined) {
    const { startWorker } = await import('./worker.js');
    await startWorker();
    return true;
  }
  let config: Config | undefined;
  try {
    const configuration = await loadConfiguration();
    ({ config } = configuration);
    if (workerCount(config) === 1) {
      await startAlone(configuration);
      return true;
    }
    const { startWorkers } = await import('./primary.js');
    await startWorkers(configuration);
  } catch (error) {
    console.error(startupErrorMessage(error, config));
    process.exitCode = 1;
  }
  return false;
}

async function startAlone({ config, modules, source }: Configuration): Promise<void> {
  const [{ listening, serve }, { reloadOnChange }, { FirstStart }] = await Promise.all([
    import('./serve.js'),
    import('./reload.js'),
    import('../billing/first-start.js'),
  ]);
  const app = await serve(config, modules);
  try {
    onEndSignal(() => undefined, () => process.exit(1)); // prettier-ignore
    app.enableShutdownHooks(['SIGTERM', 'SIGINT'], { useProcessExit: true });
    reloadOnChange(app, source);
    // Not before it listens: a start that fails must not use up the one time that the keys are shown.
    const made = await app.get(FirstStart).seed();
    console.log(startupBanner(listening(config, app), made));
  } catch (error) {
    await app.close();
    throw error;
  }
}
