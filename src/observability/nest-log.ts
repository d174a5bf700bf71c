import type { LoggerService } from '@nestjs/common';
import type { Log } from './log.js';

/**
 * Contexts of Nest's own messages, which are for debugging only: whoever starts the app learns of a failure by an
 * exception as well.
 */
const framework = /^(NestFactory|InstanceLoader|RoutesResolver|RouterExplorer|NestApplication|ExceptionHandler)$/;

/** Writes what `new Logger(context)` of @nestjs/common logs. A message that is an object becomes fields. */
export function nestLog(log: Log): LoggerService {
  const writer =
    (level: 'debug' | 'error' | 'fatal' | 'info' | 'warn', quiet = level) =>
    (message: unknown, ...rest: unknown[]): void => {
      // Nest passes the context last and, with an error, the stack before it.
      const context = rest.at(-1);
      const text = typeof message === 'object' && message !== null ? undefined : String(message);
      const stack = rest.length > 1 ? rest[0] : undefined;
      const own = message instanceof Error ? { err: message } : text === undefined ? (message as object) : { stack };
      const fields: { context?: unknown } = { context, ...own };
      log[framework.test(String(fields.context)) ? quiet : level](fields, text);
    };
  return {
    log: writer('info', 'debug'),
    error: writer('error', 'debug'),
    warn: writer('warn'),
    debug: writer('debug'),
    verbose: writer('debug'),
    fatal: writer('fatal'),
  };
}
