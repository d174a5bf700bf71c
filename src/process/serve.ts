import type { AddressInfo } from 'node:net';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { createApp } from '../app.setup.js';
import type { Config } from '../config/config.schema.js';
import { OpenRequests } from '../http/server/open-requests.js';
import type { MetricsPage } from '../observability/metrics-page.js';
import type { ProviderModule } from '../providers/provider-module.js';
import { ProviderRegistry } from '../providers/provider-registry.js';
import { IdleMemory } from './idle-memory.js';
import { setV8Flags } from './v8-settings.js';
import type { Listening } from './workers/messages.js';

/**
 * Creates the application and lets it listen. When that fails, the application is closed again.
 * @param metricsPage what `GET /metrics` answers; absent: the metrics of this process
 */
export async function serve(
  config: Config,
  modules: readonly ProviderModule[],
  metricsPage?: MetricsPage,
): Promise<NestFastifyApplication> {
  const app = await createApp(config, modules, metricsPage);
  try {
    await app.listen({ port: config.server.port, host: config.server.host });
    setV8Flags();
    IdleMemory.watch(app.get(OpenRequests));
    return app;
  } catch (error) {
    await app.close();
    throw error;
  }
}

/** Tells under which address clients reach the application, and which providers it has. */
export function listening({ server }: Config, app: NestFastifyApplication): Listening {
  const { port } = app.getHttpServer().address() as AddressInfo;
  const origin = server.public_url?.replace(/\/+$/, '') ?? `http://${reachable(server.host)}:${port}`;
  const providers = app.get(ProviderRegistry).all();
  return { address: `${origin}/v1`, providers: providers.map(({ id }) => id) };
}

/** @returns a host name or address that a client on this machine can use */
function reachable(host: string): string {
  if (host === '0.0.0.0' || host === '::') return 'localhost';
  return host.includes(':') ? `[${host}]` : host;
}
