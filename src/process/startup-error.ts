import type { Config } from '../config/config.schema.js';
import { StartError } from '../config/start-error.js';
import { secretsOf } from '../config/secrets.js';
import { Redactor } from '../common/redaction/redactor.js';
import { reportOf } from '../providers/errors/thrown.js';

/** PostgreSQL's classes of broken connections, of too few resources and of an operator's intervention. */
const POSTGRES_AWAY = /^(08|53|57)\w{3}$/;

/** Says why the start failed: one line where the operator can mend it, the stack trace where the fault is ours. */
export function startupErrorMessage(error: unknown, config: Config | undefined): string {
  if (error instanceof StartError) return error.message;
  const { code, syscall, path, message, port } = (error ?? {}) as Partial<NodeJS.ErrnoException & { port: number }>;
  const { host, admin_port } = config?.server ?? {};
  const setting = port !== undefined && port === admin_port ? 'server.admin_port' : 'PORT or server.port';
  switch (code) {
    case 'EADDRINUSE':
      return `Port ${port} on ${host} is in use. Choose another one with ${setting}, or stop what listens there.`;
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `${host} is no address of this machine (${code}). Set HOST or server.host.`;
    case 'EACCES':
      if (syscall === 'listen') return `Port ${port} on ${host} may not be used by this user. Choose one above 1023 with ${setting}.`;
      break;
    // PostgreSQL: its user lacks a right, or a transaction may only read.
    case '42501':
    case '25006':
      return `PostgreSQL refuses what the gateway does: ${message}. Its user must own the tables, on a server that is no standby.`;
  }
  if (code !== undefined && POSTGRES_AWAY.test(code)) return `PostgreSQL cannot be used now: ${message}`;
  if (code && path) return `${path} cannot be used: ${message}`;
  // A hook of a module from outside may have thrown it, with whatever it had at hand.
  const redactor = new Redactor(config ? secretsOf(config) : []);
  const { message: thrown, stack } = reportOf(error, (text) => redactor.redact(text));
  return stack || thrown;
}
