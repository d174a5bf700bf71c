import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { startupErrorMessage } from './startup-error.js';
import { listening, serve } from './serve.js';
import { Shutdown } from '../common/shutdown.js';
import type { Config } from '../config/config.schema.js';
import { deepFreeze } from '../config/deep-freeze.js';
import { Metrics } from '../observability/metrics.js';
import { loadProviderModules } from '../providers/load-provider-modules.js';
import { providerTypes } from '../providers/provider-types.js';
import type { ToPrimary, ToWorker } from './workers/messages.js';

/** Milliseconds for which the page of all workers is waited for. */
const PATIENCE = 5_000;

/** One of several processes that serve on one port; its primary process tells it with what configuration, and when to end. */
export async function startWorker(): Promise<void> {
  let end: (replaced: boolean) => void = () => process.exit(0);
  // The primary ends and reloads the gateway; a terminal and a service manager signal all of it.
  process.on('SIGHUP', () => undefined);
  process.on('SIGTERM', () => end(false)).on('SIGINT', () => end(false));
  const config = await new Promise<Config>((resolve) => {
    process.on('message', (message: ToWorker) => {
      if (message.kind === 'serve') resolve(deepFreeze(message.config));
      else if (message.kind === 'leave') end(true);
      else if (message.kind === 'stop') end(false);
    });
  });
  try {
    const modules = await loadProviderModules(config.modules, { types: providerTypes });
    const app = await serve(config, modules);
    tellMetrics(app.get(Metrics));
    end = endOf(app);
    say({ kind: 'ready', ...listening(config, app) });
  } catch (error) {
    console.error(startupErrorMessage(error, config));
    process.exit(1);
  }
}

function tellMetrics(metrics: Metrics): void {
  const asked = new Map<number, (page: string) => void>();
  let next = 0;
  process.on('message', (message: ToWorker) => {
    if (message.kind === 'report')
      void metrics.registry.getMetricsAsJSON().then((figures) => say({ kind: 'figures', figures, number: message.number }));
    else if (message.kind === 'page') asked.get(message.number)?.(message.text);
  });
  metrics.whole = () =>
    new Promise((resolve, reject) => {
      const number = next++;
      const done = (): void => {
        clearTimeout(timer);
        asked.delete(number);
      };
      const timer = setTimeout(() => {
        done();
        reject(new Error('the primary process does not tell the metrics of all workers'));
      }, PATIENCE);
      asked.set(number, (page) => {
        done();
        resolve(page);
      });
      say({ kind: 'page', number });
    });
}

/** @returns ends the process when its requests have ended; called again with false, within the drain timeout */
function endOf(app: NestFastifyApplication): (replaced: boolean) => void {
  const shutdown = app.get(Shutdown);
  const metrics = app.get(Metrics);
  let ending = false;
  const close = async (): Promise<void> => {
    await app.close();
    say({ kind: 'figures', figures: await metrics.registry.getMetricsAsJSON() }, () => process.exit(0));
  };
  return (replaced) => {
    if (!replaced) shutdown.hurry();
    if (ending) return;
    ending = true;
    shutdown.replaced = replaced;
    void close().catch((error: unknown) => {
      console.error(startupErrorMessage(error, undefined));
      process.exit(1);
    });
  };
}

function say(message: ToPrimary, then: () => void = () => undefined): void {
  // Without its primary a worker ends anyway.
  process.send?.(message, undefined, undefined, then);
}
