import type { Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { countTurns } from '../../common/testing/count-turns.js';
import { startedEach } from '../../common/testing/started.js';
import { HttpTransport } from './http-transport.js';
import { LargeBody } from './large-body.js';
import { free, RawServer } from './testing/raw-server.js';
import { requestTo } from './testing/request-to.js';
import fc from 'fast-check';
import { samples } from '../../common/testing/long-form.js';

describe('HttpTransport: a large body', () => {
  const transport = startedEach(() => new HttpTransport(), 'onApplicationShutdown');

  const PIECE = 1024 * 1024;
  const LENGTH = 24 * PIECE;
  const words = 'The quick brown fox. ';
  const answer = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok';

  class WatchedBody extends LargeBody {
    constructor(
      length: number,
      private readonly pieces: Uint8Array[],
    ) {
      super([Buffer.alloc(length, words)]);
    }

    override async *[Symbol.asyncIterator]() {
      for await (const piece of { [Symbol.asyncIterator]: () => super[Symbol.asyncIterator]() }) {
        this.pieces.push(piece);
        yield piece;
      }
    }
  }

  it('is sent piece by piece, each of which is kept until a provider that is slow to read has it, and given back then', async () => {
    const received: Buffer[] = [];
    let length = 0;
    let reads!: Socket;
    const server = await RawServer.listen((socket) => {
      reads = socket.pause();
      socket.on('data', (bytes: Buffer) => {
        received.push(bytes);
        length += bytes.length;
        if (length > LENGTH && bytes.at(-1) === words.charCodeAt((LENGTH - 1) % 21)) socket.write(answer);
      });
    });
    const pieces: Uint8Array[] = [];
    const answered = transport.send(requestTo(server.origin, { body: new WatchedBody(LENGTH, pieces) }));
    while (pieces.length === 0) await Promise.race([nextTurn(), answered]);
    await free();
    expect(pieces.length).toBeLessThan(LENGTH / PIECE);
    expect(pieces.map((piece) => piece.length).filter((bytes) => bytes > 0)).toEqual([PIECE]);
    reads.resume();
    expect(await (await answered).text()).toBe('ok');
    await free();
    expect(pieces.map((piece) => piece.length)).toEqual(Array(LENGTH / PIECE).fill(0));
    const all = Buffer.concat(received);
    const begin = all.indexOf('\r\n\r\n') + 4;
    expect(all.toString('latin1', 0, begin)).toContain(`content-length: ${LENGTH}\r\n`);
    expect(all.subarray(begin).equals(Buffer.alloc(LENGTH, words))).toBe(true);
    await server.stop();
  });

  it('leaves turns of the event loop to others between its megabytes, however fast it is taken', async () => {
    const turns = countTurns();
    let pieces = 0;
    for await (const { length } of new LargeBody([Buffer.alloc(LENGTH, words)])) pieces += length / PIECE;
    expect(pieces).toBe(LENGTH / PIECE);
    expect(turns()).toBeGreaterThanOrEqual(LENGTH / PIECE - 1);
  });

  it('is measured before it is sent where its text is made when it is asked for', async () => {
    const received: Buffer[] = [];
    const text = '€ and more. '.repeat(400_000);
    const server = await RawServer.listen((socket) => {
      socket.on('data', (bytes: Buffer) => {
        received.push(bytes);
        if (bytes.at(-1) === 0x0a) socket.write(answer);
      });
    });
    const body = new LargeBody({ [Symbol.iterator]: () => [text, '\n'].values() });
    const sign = () => ({ 'x-signed': 'yes' });
    expect(await (await transport.send(requestTo(server.origin, { body, sign }))).text()).toBe('ok');
    const all = Buffer.concat(received);
    const begin = all.indexOf('\r\n\r\n') + 4;
    expect(all.toString('latin1', 0, begin)).toContain(`content-length: ${Buffer.byteLength(text) + 1}\r\n`);
    expect(all.toString('latin1', 0, begin)).toContain('x-signed: yes');
    expect(all.subarray(begin).equals(Buffer.from(`${text}\n`))).toBe(true);
    await server.stop();
  });

  it('is given up where it cannot be made', async () => {
    const parts = {
      // oxlint-disable-next-line require-yield
      *[Symbol.iterator](): Generator<string> {
        throw new Error('no');
      },
    };
    const failed = transport.send(requestTo('http://127.0.0.1:9', { body: new LargeBody(parts) }));
    await expect(failed).rejects.toMatchObject({ kind: 'bad_response' });
  });

  it('is made again where its connection had been closed', async () => {
    let requests = 0;
    const server = await RawServer.listen((socket, connection) => {
      let length = 0;
      socket.on('data', (bytes: Buffer) => {
        length += bytes.length;
        if (connection === 0 && requests === 1) socket.resetAndDestroy();
        else if (length > 100_000) {
          length = 0;
          requests++;
          socket.write(answer);
        }
      });
    });
    const pieces: Uint8Array[] = [];
    const ask = async () => {
      const text = await (await transport.send(requestTo(server.origin, { body: new WatchedBody(100_000, pieces) }))).text();
      await free();
      return text;
    };
    expect([await ask(), await ask()]).toEqual(['ok', 'ok']);
    expect(pieces).toHaveLength(3);
    await server.stop();
  });

  it('does not keep an answer back that comes before all of it was read', async () => {
    const server = await RawServer.listen((socket) => {
      socket.once('data', () => socket.pause().write(answer));
    });
    const pieces: Uint8Array[] = [];
    const response = await transport.send(requestTo(server.origin, { body: new WatchedBody(LENGTH, pieces) }));
    expect(await response.text()).toBe('ok');
    while (pieces.at(-1)!.length > 0) await nextTurn();
    await server.stop();
  });

  it('is given up where its bytes have been released', async () => {
    const server = await RawServer.listen(() => undefined);
    const bytes = new Uint8Array(100_000);
    const body = new LargeBody([bytes]);
    bytes.buffer.transfer(0);
    await expect(transport.send(requestTo(server.origin, { body }))).rejects.toMatchObject({ name: 'ProviderError' });
    await server.stop();
  });
});

const parts = fc.array(
  fc.oneof(
    fc.constantFrom('x', '€', '😀', 'é\n').chain((text) => fc.nat(700_000).map((times) => text.repeat(times))),
    fc.nat(1_500_000).map((length) => new Uint8Array(length).fill(length)),
    fc.string({ unit: 'grapheme' }),
  ),
  { minLength: 1, maxLength: 6 },
);

async function sent(body: LargeBody): Promise<{ all: Buffer; sizes: number[] }> {
  const pieces: Buffer[] = [];
  // A piece is freed when the next one is asked for.
  for await (const piece of body) pieces.push(Buffer.from(piece));
  return { all: Buffer.concat(pieces), sizes: pieces.map(({ length }) => length) };
}

describe('LargeBody', () => {
  it('is sent in pieces of a megabyte, text as UTF-8, as often as it is asked for', async () => {
    await fc.assert(
      fc.asyncProperty(parts, async (some) => {
        const expected = Buffer.concat(some.map((part) => Buffer.from(part as string)));
        const body = new LargeBody({ [Symbol.iterator]: () => some.values() });
        await body.measure();
        expect(body.length).toBe(expected.length);
        expect(Buffer.concat(body.bytes()).equals(expected)).toBe(true);
        for (let time = 0; time < 2; time++) {
          const { all, sizes } = await sent(body);
          expect(all.equals(expected)).toBe(true);
          // Node.js encodes no character of Latin-1 into the last byte of a buffer: it may be in a piece of its own.
          const whole = sizes.slice(0, sizes.at(-1) === 1 ? -2 : -1);
          for (const size of whole) expect(size).toBeGreaterThan(1024 * 1024 - 4);
        }
      }),
      { numRuns: samples(16), endOnFailure: true, examples: [[['é\n'.repeat(579_787)]]] },
    );
  });

  it('ends in the turn in which its last piece was taken, so that no response is whole before it', async () => {
    const pieces = new LargeBody([Buffer.alloc(100_000)])[Symbol.asyncIterator]();
    await pieces.next();
    let turns = 0;
    setImmediate(() => turns++);
    expect([(await pieces.next()).done, turns]).toEqual([true, 0]);
  });

  it('does not send more bytes than it had when it was measured', async () => {
    const some = ['x'];
    const body = new LargeBody({ [Symbol.iterator]: () => some.values() });
    await body.measure();
    some.push('y');
    await expect(sent(body)).rejects.toThrow('when it was measured');
  });
});
