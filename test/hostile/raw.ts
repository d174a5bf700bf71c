import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { open, readAnswer, type RawAnswer } from '../support/raw-socket.ts';

const PIECE = 262_144;
const TIMEOUT = 120_000;

/** Writes bytes as they are, as fast as they are taken, and reads the answer, which may come before all is written. */
export async function sendPieces(port: number, bytes: Buffer): Promise<RawAnswer> {
  const socket = await open(port);
  const closed = new Promise((resolve) => socket.once('close', resolve));
  const answer = readAnswer(socket, TIMEOUT);
  const state = { answered: false };
  void answer.finally(() => (state.answered = true)).catch(() => undefined);
  try {
    for (let from = 0; from < bytes.length && !socket.destroyed && !state.answered; from += PIECE) {
      if (!socket.write(bytes.subarray(from, from + PIECE)))
        await Promise.race([once(socket, 'drain').catch(() => undefined), closed, answer.catch(() => undefined)]);
    }
    return await Promise.race([
      answer,
      wait(TIMEOUT, undefined, { ref: false }).then(() => ({ status: 0, headers: {}, body: '', text: '', closed: false })),
    ]);
  } catch {
    return { status: 0, headers: {}, body: '', text: '', closed: true };
  } finally {
    socket.destroy();
  }
}
