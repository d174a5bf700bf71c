import { EventStreamCodec } from '@smithy/eventstream-codec';
import fc from 'fast-check';
import { crc32 } from 'node:zlib';
import { ProviderError } from '../contract/provider-error.js';
import { MAX_EVENT_BYTES } from '../transport/event-stream-parser.js';
import { EventFrames, eventStreamCodec } from './event-frames.js';
import { encoded, exceptionFrame, frame } from './testing/frames.js';

const codec = eventStreamCodec(EventStreamCodec);

type Read = readonly (readonly [name: string, data: string])[];

/** The events of the pieces, and what the parser throws, if anything. */
function read(pieces: readonly Buffer[]): { events: Read; error: ProviderError | undefined } {
  const parser = new EventFrames(codec, (name, payload) => new ProviderError('overloaded', `${name}: ${payload}`));
  const events: [string, string][] = [];
  const sink = { event: (name: string, data: string) => void events.push([name, data]) };
  try {
    for (const piece of pieces) parser.feed(piece, sink);
    parser.finish();
    return { events, error: undefined };
  } catch (error) {
    return { events, error: error as ProviderError };
  }
}

const cutAt = (bytes: Buffer, offsets: readonly number[]): Buffer[] => {
  const ends = [...offsets.map((offset) => offset % (bytes.length + 1)).toSorted((a, b) => a - b), bytes.length];
  return ends.map((end, index) => bytes.subarray(ends[index - 1] ?? 0, end));
};

/** A prelude whose checksum is right. */
const prelude = (length: number): Buffer => {
  const bytes = Buffer.alloc(12);
  bytes.writeUInt32BE(length, 0);
  bytes.writeUInt32BE(crc32(bytes.subarray(0, 8)), 8);
  return bytes;
};

const first = frame('messageStart', { role: 'assistant' });
const second = frame('contentBlockDelta', { contentBlockIndex: 0, delta: { text: 'Žofia 👋' } });

describe('EventFrames', () => {
  it('gives the same events however the bytes are cut', () => {
    const name = fc.stringMatching(/^[a-zA-Z]{1,20}$/);
    const events = fc.array(fc.tuple(name, fc.dictionary(fc.string(), fc.string({ unit: 'binary' }), { maxKeys: 3 })), { maxLength: 6 });
    fc.assert(
      fc.property(events, fc.array(fc.nat(), { maxLength: 30 }), (told, offsets) => {
        const bytes = Buffer.concat(told.map(([one, data]) => frame(one, data)));
        const { events: got, error } = read(cutAt(bytes, offsets));
        expect(error).toBeUndefined();
        expect(got).toEqual(told.map(([one, data]) => [one, Buffer.from(JSON.stringify(data)).toString()]));
      }),
    );
  });

  it('is read byte by byte, and counts what waits', () => {
    const bytes = Buffer.concat([first, second]);
    expect(read([...bytes.keys()].map((at) => bytes.subarray(at, at + 1))).events).toHaveLength(2);
    const parser = new EventFrames(codec, () => new ProviderError('bad_response', ''));
    parser.feed(bytes.subarray(0, first.length + 30), { event: () => undefined });
    expect(parser.waiting).toBe(30);
  });

  it('is whole, or an error', () => {
    for (let length = 1; length < second.length; length++) {
      const { events, error } = read([first, second.subarray(0, length)]);
      expect([events.length, error?.kind]).toEqual([1, 'bad_response']);
    }
  });

  it('finds every damaged byte', () => {
    for (let at = 0; at < second.length; at++) {
      const damaged = Buffer.from(second);
      damaged[at]! ^= 0x10;
      expect([at, read([first, damaged]).error?.kind]).toEqual([at, 'bad_response']);
    }
  });

  it('finds headers that are none, whose checksums are right', () => {
    const shifted = Buffer.from(second);
    for (const length of [3, 5, second.length, 0xff_ff_ff]) {
      shifted.writeUInt32BE(length, 4);
      shifted.writeUInt32BE(crc32(shifted.subarray(0, 8)), 8);
      shifted.writeUInt32BE(crc32(shifted.subarray(0, -4)), shifted.length - 4);
      expect([length, read([shifted]).error?.kind]).toEqual([length, 'bad_response']);
    }
  });

  it('refuses a frame that is too large at its prelude, and reads one that is not', () => {
    const { error } = read([prelude(MAX_EVENT_BYTES + 1)]);
    expect(error).toMatchObject({ kind: 'limit_exceeded', message: `An event of the answer has more than ${MAX_EVENT_BYTES} bytes.` });
    const large = frame('contentBlockDelta', { text: 'x'.repeat(1_000_000) });
    expect(read(cutAt(large, [10, 70_000, 500_000])).events[0]![1]).toHaveLength(1_000_011);
    expect(read([prelude(15), Buffer.alloc(3)]).error?.kind).toBe('bad_response');
  });

  it('tells exceptions and errors, after the events before them', () => {
    const { events, error } = read([Buffer.concat([first, exceptionFrame('throttlingException', '{"message":"Wait"}'), second])]);
    expect([events.length, error?.message]).toEqual([1, 'throttlingException: {"message":"Wait"}']);
    const told = encoded({ ':message-type': 'error', ':error-code': 'InternalFailure', ':error-message': 'It broke' }, '');
    expect(read([told]).error?.message).toBe('InternalFailure: It broke');
    expect(read([encoded({ ':message-type': 'news' }, '{}')]).error?.kind).toBe('bad_response');
  });
});
