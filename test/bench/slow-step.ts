/**
 * Preloaded into the gateway by `--slow STEP`, so that one can see a row leave its target. It lays hold of Node's own
 * functions, not of the gateway's, which knows nothing of it.
 */
import { IncomingMessage, Server } from 'node:http';
import { Socket } from 'node:net';
import { isMainThread } from 'node:worker_threads';
import type { Step } from './slow-steps.ts';

type Method = (this: unknown, ...args: unknown[]) => unknown;

function burn(micros: number): void {
  const ends = performance.now() + micros / 1000;
  while (performance.now() < ends);
}

/** Puts `before` in front of a method. */
function precede(owner: object, name: string, before: (args: unknown[], self: unknown) => void): void {
  const methods = owner as Record<string, Method>;
  const method = methods[name]!;
  methods[name] = function (...args) {
    before(args, this);
    return method.apply(this, args);
  };
}

/** Leaves calls of a method out. */
function suppress(owner: object, name: string, which: (args: unknown[], self: object) => boolean): void {
  const methods = owner as Record<string, Method>;
  const method = methods[name]!;
  methods[name] = function (...args) {
    return which(args, this as object) ? false : method.apply(this, args);
  };
}

const kept: Buffer[] = [];
const keep = (bytes: number): void => void kept.push(Buffer.alloc(bytes, 1));
const onRequest = (action: () => void): void => precede(Server.prototype, 'emit', ([event]) => event === 'request' && action());

/** How many requests of each kind of load there were: of each length, on each number of connections. */
const seen = new Map<string, number>();
const onFirst = (action: () => void): void =>
  precede(Server.prototype, 'emit', ([event, request], self) => {
    if (event !== 'request') return;
    const kind = `${(request as IncomingMessage).headers['content-length']} ${(self as { _connections?: number })._connections}`;
    const count = (seen.get(kind) ?? 0) + 1;
    seen.set(kind, count);
    if (count <= 1000) action();
  });

const slow: Readonly<Record<Step, () => void>> = {
  start: () => isMainThread && burn(1_000_000),
  request: () => onRequest(() => burn(500)),
  first: () => onFirst(() => burn(2000)),
  body: () =>
    precede(IncomingMessage.prototype, 'push', ([data]) => {
      if (Buffer.isBuffer(data)) burn(data.length * 0.02);
    }),
  parse: () => precede(JSON, 'parse', () => burn(20)),
  foreign: () =>
    precede(Socket.prototype, 'push', ([data]) => {
      if (Buffer.isBuffer(data) && (data.includes('"content_block') || data.includes('"candidates"'))) burn(data.length * 0.04);
    }),
  read: () => precede(Socket.prototype, 'push', ([data]) => Buffer.isBuffer(data) && burn(data.length * 0.02)),
  write: () => ['_write', '_writev'].forEach((name) => precede(Socket.prototype, name, () => burn(200))),
  stall: () => {
    if (isMainThread) setInterval(() => burn(20_000), 100).unref();
  },
  leave: () => suppress(Socket.prototype, 'emit', ([event], socket) => event === 'close' && 'server' in socket && socket.server !== null),
  ledger: () => precede(Date, 'now', () => burn(200)),
  memory: () => {
    if (isMainThread) keep(100e6);
    onRequest(() => keep(100_000));
  },
};

slow[new URL(import.meta.url).searchParams.get('step') as Step]();
