import type { AddressInfo } from 'node:net';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { createApp, listen } from '../app.setup.js';
import { clientAddress } from '../config/client-address.js';
import type { Config } from '../config/config.schema.js';
import { knownOrigin } from '../config/dashboard-origin.js';
import type { GatewayAdapter } from '../http/server/gateway-adapter.js';
import { OpenRequests } from '../http/server/open-requests.js';
import type { MetricsPage } from '../observability/metrics-page.js';
import { SessionsService } from '../people/sessions/sessions.service.js';
import type { LoadedModule } from '../providers/kit/provider-module.js';
import { ProviderRegistry } from '../providers/registry/provider-registry.js';
import { IdleMemory } from './idle-memory.js';
import { setV8Flags } from './v8-settings.js';
import type { Listening } from './workers/messages.js';

/**
 * Creates the application and lets it listen. When that fails, the application is closed again.
 * @param metricsPage what `GET /metrics` answers; absent: the metrics of this process
 */
export async function serve(config: Config, modules: readonly LoadedModule[], metricsPage?: MetricsPage): Promise<NestFastifyApplication> {
  const app = await createApp(config, modules, metricsPage);
  try {
    await listen(app, config.server);
    setV8Flags();
    IdleMemory.watch(app.get(OpenRequests));
    return app;
  } catch (error) {
    await app.close();
    throw error;
  }
}

/** Tells under which address clients reach the application, and which providers it has. */
export function listening(config: Config, app: NestFastifyApplication): Listening {
  const { server } = config;
  const { port } = app.getHttpServer().address() as AddressInfo;
  const providers = app.get(ProviderRegistry).all();
  const [address, admin] = [clientAddress({ ...server, port }), adminAddress(server, app)];
  const pages = knownOrigin(config) ?? (admin ?? address).replace(/\/(admin\/)?v1$/, '');
  const nobody = !app.get(SessionsService).hasPeople;
  return { address, adminAddress: admin, pages, nobody, providers: providers.map(({ id }) => id) };
}

/** Where the administration has a port of its own. */
function adminAddress({ host }: Config['server'], app: NestFastifyApplication): string | undefined {
  const { adminServer } = app.getHttpAdapter() as unknown as GatewayAdapter;
  if (!adminServer) return undefined;
  const { port } = adminServer.address() as AddressInfo;
  return clientAddress({ host, port }).replace(/v1$/, 'admin/v1');
}
