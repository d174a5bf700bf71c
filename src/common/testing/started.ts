import { randomUUID } from 'node:crypto';
import { mkdirSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

type Start<T> = () => T | Promise<T>;
type Hook = (work: () => Promise<void>) => void;

/**
 * @param end its method that ends it
 * @returns what is begun before the tests of the block and ended behind them; nothing can be read of it sooner
 */
export const started = <T extends object>(start: Start<T>, end?: keyof T): T => begun(beforeAll, afterAll, start, end);

/** The same, but another for each test. */
export const startedEach = <T extends object>(start: Start<T>, end?: keyof T): T => begun(beforeEach, afterEach, start, end);

/** @returns the path of a folder that all tests of the block share */
export const sharedFolder = (): string => folder(beforeAll, afterAll);

/** @returns the path of a folder that each test of the block finds empty */
export const emptyFolder = (): string => folder(beforeEach, afterEach);

function begun<T extends object>(before: Hook, after: Hook, start: Start<T>, end?: keyof T): T {
  let one: T;
  before(async () => {
    one = await start();
  });
  const handed = new Proxy({} as T, {
    get(_none, name) {
      const value: unknown = Reflect.get(one, name);
      return typeof value === 'function' ? (value.bind(one) as unknown) : value;
    },
    set: (_none, name, value) => Reflect.set(one, name, value),
  });
  if (end) after(async () => void (await (handed[end] as () => unknown)()));
  return handed;
}

function folder(before: Hook, after: Hook): string {
  const path = join(realpathSync(tmpdir()), `switchyard-${randomUUID()}`);
  before(async () => mkdirSync(path, { mode: 0o700 }));
  after(async () => rmSync(path, { recursive: true, force: true }));
  return path;
}
