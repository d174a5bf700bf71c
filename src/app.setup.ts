import { once } from 'node:events';
import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { AppModule } from './app.module.js';
import { type Clock, systemClock } from './common/time/clock.js';
import type { Config } from './config/config.schema.js';
import { ConfigService } from './config/config.service.js';
import { createFastify } from './http/server/fastify-server.js';
import { GatewayAdapter } from './http/server/gateway-adapter.js';
import { RequestGate } from './http/server/request-gate.js';
import { createLog, hideInLog } from './observability/log.js';
import type { MetricsPage } from './observability/metrics-page.js';
import { nestLog } from './observability/nest-log.js';
import { guardEndHooks } from './providers/modules/guarded-end-hooks.js';
import { nestModuleError } from './providers/modules/nest-module-error.js';
import type { LoadedModule } from './providers/kit/provider-module.js';

/**
 * Connections that wait to be accepted, at most; Linux allows no more than net.core.somaxconn. One that finds no room
 * tries again after one second, two, four, whoever has filled it.
 */
const BACKLOG = 4_096;

/**
 * Builds the application, for the process and for the tests; it does not listen yet.
 * @param modules the provider modules that `config.modules` names
 * @param metricsPage what `GET /metrics` answers; where it is absent, the metrics of this process
 * @param clock by which the whole application lives
 */
export async function createApp(
  config: Config,
  modules: readonly LoadedModule[] = [],
  metricsPage?: MetricsPage,
  clock: Clock = systemClock,
): Promise<NestFastifyApplication> {
  let gate: RequestGate | undefined;
  const { fastify, adminServer } = createFastify(config.server, () => (gate ??= app.get<RequestGate>(RequestGate)), clock);
  const log = createLog(config);
  const root = AppModule.forRoot(config, log, clock, modules, metricsPage);
  const app = await NestFactory.create<NestFastifyApplication>(root, new GatewayAdapter(fastify, adminServer), {
    logger: nestLog(log),
    abortOnError: false,
    bodyParser: false,
  }).catch((error: unknown) => {
    throw nestModuleError(error, modules, config);
  });
  guardEndHooks(app, root);
  app.get(ConfigService).onChange(hideInLog);
  return prefixRoutes(app);
}

/** All operations are below /v1, but those about the gateway itself. */
export function prefixRoutes(app: NestFastifyApplication): NestFastifyApplication {
  return app.setGlobalPrefix('v1', {
    exclude: ['/', 'health/*path', 'metrics', 'openapi.json', 'docs', 'docs/*path', 'dashboard', 'dashboard/*path', 'admin/v1/*path'],
  });
}

/** Lets the application accept connections. */
export async function listen(app: NestFastifyApplication, { port, admin_port, host }: Config['server']): Promise<void> {
  const { adminServer } = app.getHttpAdapter() as unknown as GatewayAdapter;
  await app.listen({ port, host, backlog: BACKLOG });
  if (!adminServer) return;
  adminServer.listen({ port: admin_port, host, backlog: BACKLOG });
  await once(adminServer, 'listening');
}
