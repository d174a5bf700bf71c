import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { AppModule } from './app.module.js';
import { ApiKeyService } from './auth/api-key.service.js';
import { releaseBody } from './http/server/collect-body.js';
import { createFastify } from './http/server/fastify-server.js';
import { GatewayAdapter } from './http/server/gateway-adapter.js';
import { OpenRequests } from './http/server/open-requests.js';
import { RequestGate } from './http/server/request-gate.js';
import { Shutdown } from './common/shutdown.js';
import type { Config } from './config/config.schema.js';
import { createLog } from './observability/log.js';
import { NestLog } from './observability/nest-log.js';
import type { ProviderModule } from './providers/provider-module.js';

/**
 * The one way to build the app; it does not listen yet.
 * @param modules what `config.modules` names
 */
export async function createApp(config: Config, modules: readonly ProviderModule[] = []): Promise<NestFastifyApplication> {
  const gate = new RequestGate(config.server);
  const adapter = new GatewayAdapter(createFastify(config.server, gate));
  const log = createLog(config.observability);
  const app = await NestFactory.create<NestFastifyApplication>(AppModule.forRoot(config, log, modules), adapter, {
    logger: new NestLog(log),
    abortOnError: false,
    bodyParser: false,
  });
  app.setGlobalPrefix('v1', { exclude: ['health/*path', 'metrics'] });
  const keys = app.get(ApiKeyService);
  const openRequests = app.get(OpenRequests);
  gate.open({
    openRequests,
    shutdown: app.get(Shutdown),
    authenticate: (request) => {
      request.principal = keys.authenticate(request.headers.authorization);
    },
  });
  // After all who are told of it and look at the body.
  openRequests.onEnd(({ request }) => releaseBody(request));
  return app;
}
