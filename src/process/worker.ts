import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { Shutdown } from '../common/shutdown.js';
import { ConfigService } from '../config/config.service.js';
import { deepFreeze } from '../config/deep-freeze.js';
import { Metrics } from '../observability/metrics.js';
import { loadProviderModules } from '../providers/modules/load-provider-modules.js';
import { providerTypes } from '../providers/registry/provider-types.js';
import { listening, serve } from './serve.js';
import { startupErrorMessage } from './startup-error.js';
import { onUnhandledRejection } from './unhandled-rejections.js';
import { JointMetricsPage } from './workers/joint-metrics-page.js';
import type { Served, ToWorker } from './workers/messages.js';
import { sendToPrimary } from './workers/send-to-primary.js';

/**
 * Starts one of several processes that serve on one port. Its primary process sends it the configuration, and tells it
 * when to end.
 */
export async function startWorker(): Promise<void> {
  let end: (replaced: boolean) => void = () => process.exit(0);
  // The primary process ends and reloads the gateway, but a terminal and a service manager signal all of its processes.
  process.on('SIGHUP', () => undefined);
  process.on('SIGTERM', () => end(false)).on('SIGINT', () => end(false));
  const { config, sources } = await new Promise<Served>((resolve) => {
    process.on('message', (message: ToWorker) => {
      if (message.kind === 'serve') resolve({ config: deepFreeze(message.config), sources: message.sources });
      else if (message.kind === 'leave') end(true);
      else if (message.kind === 'stop') end(false);
    });
  });
  try {
    const modules = await loadProviderModules(config.modules, { types: providerTypes });
    const app = await serve(config, modules, new JointMetricsPage());
    app.get(ConfigService).sources = new Map(sources);
    const metrics = app.get(Metrics);
    reportOnDemand(metrics);
    end = endOf(app, metrics);
    onUnhandledRejection(modules, config, () => {
      process.exitCode = 1;
      end(false);
    });
    sendToPrimary({ kind: 'ready', ...listening(config, app) });
  } catch (error) {
    console.error(startupErrorMessage(error, config));
    process.exit(1);
  }
}

/** Sends the figures of this process whenever the primary process asks for them. */
function reportOnDemand({ registry }: Metrics): void {
  process.on('message', ({ kind, number }: Extract<ToWorker, { kind: 'report' }>) => {
    if (kind === 'report') void registry.getMetricsAsJSON().then((figures) => sendToPrimary({ kind: 'figures', figures, number }));
  });
}

/**
 * @returns a function that ends the process after its last request: with true however long requests take, as another
 * worker serves in its place; with false within the drain timeout, also when it has been called with true before
 */
function endOf(app: NestFastifyApplication, { registry }: Metrics): (replaced: boolean) => void {
  const shutdown = app.get(Shutdown);
  let ending = false;
  const close = async (): Promise<void> => {
    await app.close();
    sendToPrimary({ kind: 'figures', figures: await registry.getMetricsAsJSON() }, () => process.exit());
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
