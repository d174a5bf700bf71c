import { Logger } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { ConfigReload } from '../config/config-reload.js';
import { ConfigService } from '../config/config.service.js';
import { configPath, loadConfig, type LoadOptions, requireFound, settingSources } from '../config/load-config.js';
import { watchFile } from '../config/watch-file.js';

/** Reads the configuration again when its file changes, and on each SIGHUP. */
export function reloadOnChange(app: NestFastifyApplication, source: LoadOptions): void {
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
