import type { Socket } from 'node:net';

/** Is notified when the client's connection closes. */
export interface SocketCloseListener {
  closed(): void;
}

const LISTENERS = Symbol('listeners of this connection’s close');

type Connection = Socket & { [LISTENERS]?: SocketCloseListener[] };

/**
 * Adds a listener to the close of a connection. All listeners share one of the socket's, which would otherwise be added
 * and removed with every request.
 */
export function onSocketClose(connection: Connection, listener: SocketCloseListener): void {
  let listeners = connection[LISTENERS];
  if (!listeners) {
    listeners = connection[LISTENERS] = [];
    connection.on('close', onClose);
  }
  listeners.push(listener);
}

export function offSocketClose(connection: Connection, listener: SocketCloseListener): void {
  const listeners = connection[LISTENERS];
  if (!listeners) return;
  // Most often the listener that was added last is removed first.
  if (listeners.at(-1) === listener) listeners.pop();
  else if (listeners.includes(listener)) listeners.splice(listeners.indexOf(listener), 1);
}

function onClose(this: Connection): void {
  // A copy, because a listener may remove itself or another one.
  for (const listener of this[LISTENERS]!.slice()) listener.closed();
}
