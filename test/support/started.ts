import { type Accepts, LoopbackUpstream } from '../../src/providers/testing/loopback-upstream.js';
import { Administration } from './administration.js';
import type { TestApp } from './create-test-app.js';
import type { Gateway } from './gateway.js';

/**
 * A provider for the tests of a block.
 * @param accepts what it takes; absent: what the vendor of the path does
 */
export const useUpstream = (accepts?: Accepts): LoopbackUpstream =>
  started(
    async () => Object.assign(await LoopbackUpstream.start(), { accepts }),
    (upstream) => upstream.stop(),
  );

/** A gateway, or its app, for the tests of a block. What it needs has to be asked for before. */
export const useGateway = <T extends Gateway | TestApp>(start: () => Promise<T>): T => started<T>(start, (gateway) => gateway.close());

/** What the tests of a block need beside a gateway: a server of mails, a database. */
export const useServer = <T extends { stop(): Promise<unknown> }>(start: () => Promise<T>): T => started(start, (server) => server.stop());

/** An operator of a gateway of the block. */
export const useOperator = (gateway: Gateway): Administration => started(() => Administration.as(gateway.running, 'operator'));

/** @returns what is begun before the tests of the block and ended behind them; nothing can be read of it sooner */
function started<T extends object>(start: () => Promise<T>, end?: (one: T) => Promise<unknown>): T {
  let one: T;
  beforeAll(async () => {
    one = await start();
  });
  if (end) afterAll(() => end(one));
  return new Proxy({} as T, {
    get(_none, name) {
      const value: unknown = Reflect.get(one, name);
      return typeof value === 'function' ? (value.bind(one) as unknown) : value;
    },
    set: (_none, name, value) => Reflect.set(one, name, value),
  });
}
