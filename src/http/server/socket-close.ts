import type { Socket } from 'node:net';

/** Something that lives on a client's connection. */
export interface SocketCloseListener {
  socketClosed(): void;
}

const ALIVE = Symbol('what lives on this connection');

type Connection = Socket & { [ALIVE]?: SocketCloseListener[] };

/** Has it told when the connection closes. One listener a connection does for all: each of its own would be put on and taken off with every request. */
export function onSocketClose(connection: Connection, one: SocketCloseListener): void {
  let alive = connection[ALIVE];
  if (!alive) {
    alive = connection[ALIVE] = [];
    connection.on('close', onClose);
  }
  alive.push(one);
}

export function offSocketClose(connection: Connection, one: SocketCloseListener): void {
  const alive = connection[ALIVE];
  if (!alive) return;
  // Who came last most often leaves first.
  if (alive.at(-1) === one) alive.pop();
  else if (alive.includes(one)) alive.splice(alive.indexOf(one), 1);
}

function onClose(this: Connection): void {
  // All as of now: what happens to one of them may take it away.
  for (const one of this[ALIVE]!.slice()) one.socketClosed();
}
