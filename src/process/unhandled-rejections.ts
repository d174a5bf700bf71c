import { Logger } from '@nestjs/common';
import type { Config } from '../config/config.schema.js';
import { isProviderError } from '../providers/contract/provider-error.js';
import type { LoadedModule } from '../providers/kit/provider-module.js';
import { throwerOf } from '../providers/modules/thrower.js';
import { reportOf } from '../providers/errors/thrown.js';

/** Milliseconds in which one line is written about the promises of one module. */
const AGAIN_AFTER = 60_000;

/** Milliseconds that the end may take beyond what it waits for open requests. */
const END_MS = 30_000;

const unchanged = (text: string): string => text;

/**
 * Judges promises that are rejected and that nobody waits for, which would end the process at once. Where a module from
 * outside has thrown the error, or it is a provider's failure, the gateway is whole: it logs the error and goes on.
 * Any other tells that the gateway's own code has stopped where it should not: the process ends, in order.
 * @param end closes the gateway and ends the process with code 1; called once
 */
export function onUnhandledRejection(modules: readonly LoadedModule[], { server }: Config, end: () => void): void {
  const logger = new Logger('Process');
  const told = new Map<string, { at: number; untold: number }>();
  let ending = false;
  process.on('unhandledRejection', (reason) => {
    const err = reportOf(reason, unchanged);
    const place = throwerOf(reason, modules);
    if (place || isProviderError(reason)) {
      const whose = place ? `the module ${place.name}` : 'a provider';
      const before = told.get(whose);
      if (before && performance.now() - before.at < AGAIN_AFTER) {
        before.untold++;
        return;
      }
      const more = before && before.untold > 0 ? `, and ${before.untold} more since the last line about it` : '';
      told.set(whose, { at: performance.now(), untold: 0 });
      logger.error({ msg: `Nobody waited for a promise of ${whose} that was rejected${more}: ${err.message}`, err });
      return;
    }
    logger.fatal({ msg: `The process ends, because a promise of the gateway was rejected that nobody waited for: ${err.message}`, err });
    if (ending) return;
    ending = true;
    setTimeout(() => process.exit(1), server.drain_delay + server.drain_timeout + END_MS).unref();
    end();
  });
}
