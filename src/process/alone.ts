import { Logger } from '@nestjs/common';
import { FirstStart } from '../billing/first-start.js';
import type { Configuration } from '../providers/registry/configuration.js';
import { reloadOnChange } from './reload.js';
import { listening, serve } from './serve.js';
import { onEndSignal } from './signals.js';
import { onUnhandledRejection } from './unhandled-rejections.js';
import { startupBanner } from './startup-banner.js';

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
