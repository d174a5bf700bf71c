import { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { BodyTurns } from './body-turns.js';

const PIECE = Buffer.alloc(64 * 1024);

it('looks at no more than 2 MB of all bodies, and a piece of each, in one turn of the event loop', async () => {
  const turns = new BodyTurns();
  let [inTurn, most] = [0, 0];
  const ended: Promise<void>[] = [];
  for (let index = 0; index < 20; index++) {
    const body = Readable.from(Array.from({ length: 100 }, () => PIECE));
    body.on('data', (piece: Buffer) => {
      inTurn += piece.length;
      turns.took(body, piece.length);
    });
    ended.push(new Promise((resolve) => body.on('end', resolve)));
  }
  const all = Promise.all(ended).then(() => true);
  do {
    most = Math.max(most, inTurn);
    inTurn = 0;
  } while (!(await Promise.race([all, nextTurn(false)])));
  expect(most).toBeLessThanOrEqual(2 * (2 * 1024 * 1024 + 20 * PIECE.length));
  expect(most).toBeGreaterThan(1024 * 1024);
});
