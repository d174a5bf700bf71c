import { clientAddress } from './client-address.js';
import type { Config } from './config.schema.js';

/** Where the configuration says that the pages are; undefined where it does not. */
export function knownOrigin({ dashboard, server }: Config): string | undefined {
  const url = dashboard.public_url ?? (server.admin_port === undefined ? server.public_url : undefined);
  return url?.replace(/\/+$/, '');
}

/** As far as it can be known without a request: for the command line. */
export function likelyOrigin(config: Config): string {
  const { host, port, admin_port } = config.server;
  return knownOrigin(config) ?? clientAddress({ host, port: admin_port ?? port }).replace(/\/v1$/, '');
}
