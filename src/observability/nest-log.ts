import type { LoggerService } from '@nestjs/common';
import type { Log } from './log.js';

/**
 * Contexts of Nest's own messages, which are for debugging only: whoever starts the app learns of a failure by an
 * exception as well.
 */
const frameworkContexts = new Set([
  'NestFactory',
  'InstanceLoader',
  'RoutesResolver',
  'RouterExplorer',
  'NestApplication',
  'ExceptionHandler',
]);

/**
 * Writes what `new Logger(context)` of @nestjs/common logs to the gateway's log. A message that is an object becomes
 * fields.
 */
export class NestLog implements LoggerService {
  readonly #log: Log;

  constructor(log: Log) {
    this.#log = log;
  }

  log(message: unknown, ...rest: unknown[]): void {
    const [fields, text] = line(message, rest);
    if (frameworkContexts.has(fields.context as string)) this.#log.debug(fields, text);
    else this.#log.info(fields, text);
  }

  error(message: unknown, ...rest: unknown[]): void {
    const [fields, text] = line(message, rest);
    if (frameworkContexts.has(fields.context as string)) this.#log.debug(fields, text);
    else this.#log.error(fields, text);
  }

  warn(message: unknown, ...rest: unknown[]): void {
    this.#log.warn(...line(message, rest));
  }

  debug(message: unknown, ...rest: unknown[]): void {
    this.#log.debug(...line(message, rest));
  }

  verbose(message: unknown, ...rest: unknown[]): void {
    this.#log.debug(...line(message, rest));
  }

  fatal(message: unknown, ...rest: unknown[]): void {
    this.#log.fatal(...line(message, rest));
  }
}

/**
 * Splits the arguments of a log call into fields and text. Nest passes the context last and, with an error, the stack
 * before it.
 */
function line(message: unknown, rest: unknown[]): [Record<string, unknown>, string | undefined] {
  const context = rest.at(-1);
  if (message instanceof Error) return [{ context, err: message }, undefined];
  if (typeof message === 'object' && message !== null) return [{ context, ...message }, undefined];
  const stack = rest.length > 1 ? rest[0] : undefined;
  return [{ context, stack }, String(message)];
}
