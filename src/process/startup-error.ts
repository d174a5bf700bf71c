import type { Config } from '../config/config.schema.js';
import { StartError } from '../config/start-error.js';
import { secretsOf } from '../config/secrets.js';
import { Redactor } from '../common/redaction/redactor.js';
import { reportOf } from '../providers/thrown.js';

/** Says why the start failed: one line where the operator can mend it, the stack trace where the fault is ours. */
export function startupErrorMessage(error: unknown, config: Config | undefined): string {
  if (error instanceof StartError) return error.message;
  const { code, syscall, path, message } = (error ?? {}) as Partial<NodeJS.ErrnoException>;
  const { host, port } = config?.server ?? {};
  switch (code) {
    case 'EADDRINUSE':
      return `Port ${port} on ${host} is in use. Choose another one with PORT or server.port, or stop what listens there.`;
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `${host} is no address of this machine (${code}). Set HOST or server.host.`;
    case 'EACCES':
      if (syscall === 'listen')
        return `Port ${port} on ${host} may not be used by this user. Choose one above 1023 with PORT or server.port.`;
  }
  if (code && path) return `${path} cannot be used: ${message}`;
  // A hook of a module from outside may have thrown it, with whatever it had at hand.
  const redactor = new Redactor(config ? secretsOf(config) : []);
  const { message: thrown, stack } = reportOf(error, (text) => redactor.redact(text));
  return stack || thrown;
}
