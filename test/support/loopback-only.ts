import { Socket } from 'node:net';

const loopback = /^(127\.|::1$|localhost$)/;

/**
 * For a whole file: no connection of this process may leave the machine; one that tries is refused before its name is
 * looked up. It is remembered as well, because a client that swallows the refusal must not hide the attempt.
 */
export function useLoopbackOnly(): void {
  const connect = Reflect.get(Socket.prototype, 'connect') as (...args: unknown[]) => Socket;
  const attempts: string[] = [];

  beforeAll(() => {
    Socket.prototype.connect = function (this: Socket, ...args: unknown[]): Socket {
      const address = addressOf(args);
      if (address === undefined || loopback.test(address)) return Reflect.apply(connect, this, args);
      attempts.push(address);
      process.nextTick(() => this.destroy(new Error(`no connection to ${address} from this test`)));
      return this;
    };
  });

  afterAll(() => {
    Socket.prototype.connect = connect;
    expect(attempts).toEqual([]);
  });
}

/** Undefined: a local path. Node's own callers pass the normalised arguments as one array. */
function addressOf(args: readonly unknown[]): string | undefined {
  const [first, second] = Array.isArray(args[0]) ? (args[0] as unknown[]) : args;
  if (typeof first === 'object' && first !== null) {
    const { path, host } = first as { path?: string; host?: string };
    return path === undefined ? (host ?? 'localhost') : undefined;
  }
  if (Number.isNaN(Number(first))) return undefined;
  return typeof second === 'string' ? second : 'localhost';
}
