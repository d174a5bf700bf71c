import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { AppModule } from './app.module.js';
import type { Config } from './config/config.schema.js';
import { createFastify } from './http/server/fastify-server.js';
import { GatewayAdapter } from './http/server/gateway-adapter.js';
import { RequestGate } from './http/server/request-gate.js';
import { createLog } from './observability/log.js';
import type { MetricsPage } from './observability/metrics-page.js';
import { NestLog } from './observability/nest-log.js';
import type { ProviderModule } from './providers/provider-module.js';

/**
 * Builds the application, for the process and for the tests; it does not listen yet.
 * @param modules the provider modules that `config.modules` names
 * @param metricsPage what `GET /metrics` answers; where it is absent, the metrics of this process
 */
export async function createApp(
  config: Config,
  modules: readonly ProviderModule[] = [],
  metricsPage?: MetricsPage,
): Promise<NestFastifyApplication> {
  let gate: RequestGate | undefined;
  const server = createFastify(config.server, () => (gate ??= app.get<RequestGate>(RequestGate)));
  const log = createLog(config.observability);
  const root = AppModule.forRoot(config, log, modules, metricsPage);
  const app = await NestFactory.create<NestFastifyApplication>(root, new GatewayAdapter(server), {
    logger: new NestLog(log),
    abortOnError: false,
    bodyParser: false,
  });
  return app.setGlobalPrefix('v1', { exclude: ['health/*path', 'metrics'] });
}
