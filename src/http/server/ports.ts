import type { IncomingMessage, RequestListener } from 'node:http';
import type { Config } from '../../config/config.schema.js';

const ADMIN_PORT = Symbol('the request came to the port of the administration');

type Request = IncomingMessage & { [ADMIN_PORT]?: true };

/** Addresses that both ports answer. */
const onBoth = /^\/(health\/|openapi\.json$|docs(\/|$))/;

/** Addresses of the page that calls the administration API. They need no token. */
const dashboard = /^\/dashboard(\/|$)/;

/** Marks the requests of the port of the administration. */
export function ofAdminPort(handler: RequestListener): RequestListener {
  return (request: Request, response) => {
    request[ADMIN_PORT] = true;
    handler(request, response);
  };
}

/** Which addresses each port answers, where the administration API has a port of its own (`server.admin_port`). */
export class Ports {
  readonly #separate: boolean;

  constructor({ admin_port }: Config['server']) {
    this.#separate = admin_port !== undefined;
  }

  /** Whether a request is one to the administration API, with its tokens. */
  isAdministration(request: Request, path: string): boolean {
    return this.#separate ? request[ADMIN_PORT] === true : isAdminAddress(path);
  }

  /** @returns false for an address that is to be treated as if there were none */
  answers(request: Request, path: string): boolean {
    if (!this.#separate) return true;
    return (isAdminAddress(path) || dashboard.test(path)) === (request[ADMIN_PORT] === true) || onBoth.test(path);
  }
}

/** Whether an address, or a route, is one of the administration API. */
export function isAdminAddress(path: string): boolean {
  return path.startsWith('/admin/');
}
