import { Socket } from 'node:net';
import { leave, liveOn, type OnConnection } from './connection.js';

describe('what lives on a connection', () => {
  it('is told once when it closes, in its order, unless it has left', async () => {
    const connection = new Socket();
    const told: string[] = [];
    const one = (name: string): OnConnection => ({ connectionClosed: () => told.push(name) });
    const [first, second, third, late] = [one('first'), one('second'), one('third'), one('late')];
    for (const each of [first, second, third, late]) liveOn(connection, each);
    leave(connection, second);
    leave(connection, late);
    leave(connection, late);
    expect(connection.listenerCount('close')).toBe(1);
    connection.destroy();
    await new Promise(setImmediate);
    expect(told).toEqual(['first', 'third']);
  });

  it('may leave while the others are told', async () => {
    const connection = new Socket();
    const told: string[] = [];
    for (const name of ['a', 'b']) {
      const one: OnConnection = {
        connectionClosed: () => {
          told.push(name);
          leave(connection, one);
        },
      };
      liveOn(connection, one);
    }
    connection.destroy();
    await new Promise(setImmediate);
    expect(told).toEqual(['a', 'b']);
  });
});
