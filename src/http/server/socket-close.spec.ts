import { Socket } from 'node:net';
import { offSocketClose, onSocketClose, type SocketCloseListener } from './socket-close.js';

describe('onSocketClose', () => {
  it('calls each listener once, in order, unless it was removed', async () => {
    const connection = new Socket();
    const told: string[] = [];
    const one = (name: string): SocketCloseListener => ({ closed: () => told.push(name) });
    const [first, second, third, late] = [one('first'), one('second'), one('third'), one('late')];
    for (const each of [first, second, third, late]) onSocketClose(connection, each);
    offSocketClose(connection, second);
    offSocketClose(connection, late);
    offSocketClose(connection, late);
    expect(connection.listenerCount('close')).toBe(1);
    connection.destroy();
    await new Promise(setImmediate);
    expect(told).toEqual(['first', 'third']);
  });

  it('lets a listener be removed while others are called', async () => {
    const connection = new Socket();
    const told: string[] = [];
    for (const name of ['a', 'b']) {
      const one: SocketCloseListener = {
        closed: () => {
          told.push(name);
          offSocketClose(connection, one);
        },
      };
      onSocketClose(connection, one);
    }
    connection.destroy();
    await new Promise(setImmediate);
    expect(told).toEqual(['a', 'b']);
  });
});
