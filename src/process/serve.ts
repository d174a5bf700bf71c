import type { AddressInfo } from 'node:net';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { createApp } from '../app.setup.js';
import { IdleMemory } from './idle-memory.js';
import { OpenRequests } from '../http/server/open-requests.js';
import type { Config } from '../config/config.schema.js';
import type { ProviderModule } from '../providers/provider-module.js';
import { ProviderRegistry } from '../providers/provider-registry.js';
import type { Listening } from './workers/messages.js';

/** A gateway of this process that listens. Where it comes to nothing, nothing of it is left. */
export async function serve(config: Config, modules: readonly ProviderModule[]): Promise<NestFastifyApplication> {
  const app = await createApp(config, modules);
  try {
    await app.listen({ port: config.server.port, host: config.server.host });
    IdleMemory.watch(app.get(OpenRequests));
    return app;
  } catch (error) {
    await app.close();
    throw error;
  }
}

export function listening({ server }: Config, app: NestFastifyApplication): Listening {
  const { port } = app.getHttpServer().address() as AddressInfo;
  const origin = server.public_url?.replace(/\/+$/, '') ?? `http://${reachable(server.host)}:${port}`;
  const providers = app.get(ProviderRegistry).all();
  return { address: `${origin}/v1`, providers: providers.map(({ id }) => id) };
}

/** An address that a client on this machine can use. */
function reachable(host: string): string {
  if (host === '0.0.0.0' || host === '::') return 'localhost';
  return host.includes(':') ? `[${host}]` : host;
}
