import { thrownBy } from './hidden-secrets.js';
import type { ModelProvider } from '../contract/model-provider.js';
import { isProviderError } from '../contract/provider-error.js';
import type { ThrownReport } from './thrown.js';

/** Codes of connections that fail: their stacks tell nothing about a module. */
const ofNetwork = /^(UND_ERR_\w+|HPE_\w+|E[A-Z]+)$/;

/** Milliseconds for which a stack is not written again, and stacks that are remembered at most. */
const AGAIN_AFTER = 60_000;
const MAX_TOLD = 200;

/** When the stacks were written that failing requests show, each of them for every request. */
const told = new Map<string, number>();

/**
 * A line of the log about what a provider has thrown, without its secrets: what the vendor said, and with its stack
 * what is no ProviderError, or the cause of one. A stack is written once a minute.
 * @param prefix what has failed
 */
export function loggedError(provider: ModelProvider, prefix: string, error: unknown): string | { msg: string; err: ThrownReport } {
  if (!isProviderError(error)) {
    const err = thrownBy(provider, error);
    return withStack(provider, `${prefix}: ${err.message}`, err);
  }
  const { message, detail, cause } = error;
  const msg = `${prefix}: ${message}${detail ? `: ${detail}` : ''}`;
  const { code } = (cause ?? {}) as { code?: unknown };
  if (cause === undefined || (typeof code === 'string' && ofNetwork.test(code))) return msg;
  return withStack(provider, msg, thrownBy(provider, cause));
}

/** The same stack is written once a minute. */
function withStack({ id }: ModelProvider, msg: string, err: ThrownReport): string | { msg: string; err: ThrownReport } {
  const key = `${id} ${err.stack}`;
  const now = Date.now();
  if (now - (told.get(key) ?? -Infinity) < AGAIN_AFTER) return `${msg} (${err.message}; its stack was logged within the last minute)`;
  told.delete(key);
  told.set(key, now);
  if (told.size > MAX_TOLD) told.delete(told.keys().next().value!);
  return { msg, err };
}
