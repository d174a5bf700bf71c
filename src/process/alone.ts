import { Logger } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { FirstStart } from '../billing/first-start.js';
import { ConfigReload } from '../config/config-reload.js';
import { ConfigService } from '../config/config.service.js';
import { configPath, loadConfig, type LoadOptions, requireFound, settingSources } from '../config/load-config.js';
import { watchFile } from '../config/watch-file.js';
import type { Configuration } from '../providers/registry/configuration.js';
import { listening, serve } from './serve.js';
import { onEndSignal } from './signals.js';
import { onUnhandledRejection } from './unhandled-rejections.js';
import { startupBanner } from './startup-banner.js';

/** Reads the configuration again when its file changes, and on each SIGHUP. */
function reloadOnChange(app: NestFastifyApplication, source: LoadOptions): void {
  const service = app.get(ConfigService);
  let known = source;
  const load = () => {
    const found = requireFound(known);
    const config = loadConfig(found);
    known = found;
    return config;
  };
  const sources = () => settingSources(known);
  service.sources = sources();
  const reload = new ConfigReload(service, load, new Logger('Configuration'), sources);
  watchFile(configPath(source), () => void reload.now());
  process.on('SIGHUP', () => void reload.now());
}

/** Starts a gateway of one process, prints where it listens, and lets a signal end it. */
export async function startAlone({ config, modules, source, notInstalled }: Configuration): Promise<void> {
  const app = await serve(config, modules);
  const logger = new Logger('Configuration');
  for (const sentence of notInstalled) logger.warn(sentence);
  try {
    onUnhandledRejection(modules, config, () => void app.close().finally(() => process.exit(1)));
    onEndSignal(() => undefined, () => process.exit(1)); // prettier-ignore
    app.enableShutdownHooks(['SIGTERM', 'SIGINT'], { useProcessExit: true });
    reloadOnChange(app, source);
    // The starter keys are shown only once, so they are made after the gateway listens: a start that fails before that
    // must not use them up.
    const starter = await app.get(FirstStart).seed();
    console.log(startupBanner(listening(config, app), starter));
  } catch (error) {
    await app.close();
    throw error;
  }
}
