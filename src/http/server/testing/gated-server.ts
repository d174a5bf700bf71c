import type { FastifyInstance } from 'fastify';
import { ApiError } from '../../../common/api-error.js';
import { BodyBudget } from '../../../common/limits/byte-budget.js';
import { systemClock } from '../../../common/time/clock.js';
import { Shutdown } from '../../../common/shutdown.js';
import { configSchema } from '../../../config/config.schema.js';
import { ConfigService } from '../../../config/config.service.js';
import { createFastify } from '../fastify-server.js';
import { ClientFormats } from '../../requests/client-formats.js';
import type { OpenRequests } from '../open-requests.js';
import type { AdminAuthenticator, RequestAuthenticator } from '../request-authenticator.js';
import { RequestGate } from '../request-gate.js';

/** Nobody may do anything. */
const administration: AdminAuthenticator = {
  authenticate(): never {
    throw new ApiError('invalid_api_key', 'Not here');
  },
  whoAsks: () => '',
  authorize: () => undefined,
  welcome: () => '',
};

/** A server behind the request gate, without Nest. */
export function gatedServer(authenticator: RequestAuthenticator, openRequests: OpenRequests): FastifyInstance {
  const config = configSchema.parse({});
  const gate = new RequestGate(
    new ConfigService(config),
    authenticator,
    administration,
    openRequests,
    new Shutdown(),
    new BodyBudget(),
    new ClientFormats(),
    systemClock,
  );
  return createFastify(config.server, () => gate).fastify;
}
