import { greeting } from './app.greeting.js';
import { startComplaint } from './app.complaint.js';
import { onEndSignal } from './app.signals.js';
import { workerId } from './common/cluster-worker.js';
import type { Config } from './config/config.schema.js';
import { type Configuration, loadConfiguration } from './providers/configuration.js';
import { workerCount } from './workers/worker-count.js';

/**
 * Starts the gateway, tells where it is and lets a signal end it.
 * @returns whether this process serves now
 */
export async function start(): Promise<boolean> {
  if (workerId !== undefined) {
    const { startWorker } = await import('./app.worker.js');
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
    const { startWorkers } = await import('./app.primary.js');
    await startWorkers(configuration);
  } catch (error) {
    console.error(startComplaint(error, config));
    process.exitCode = 1;
  }
  return false;
}

async function startAlone({ config, modules, source }: Configuration): Promise<void> {
  const [{ listening, serve }, { reloadOnChange }, { FirstStart }] = await Promise.all([
    import('./app.serve.js'),
    import('./app.reload.js'),
    import('./billing/first-start.js'),
  ]);
  const app = await serve(config, modules);
  try {
    onEndSignal(() => undefined, () => process.exit(1)); // prettier-ignore
    app.enableShutdownHooks(['SIGTERM', 'SIGINT'], { useProcessExit: true });
    reloadOnChange(app, source);
    // Not before it listens: a start that fails must not use up the one time that the keys are shown.
    const made = await app.get(FirstStart).seed();
    console.log(greeting(listening(config, app), made));
  } catch (error) {
    await app.close();
    throw error;
  }
}
