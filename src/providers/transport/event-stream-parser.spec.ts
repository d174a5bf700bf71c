import fc from 'fast-check';
import { samples } from '../../common/testing/long-form.js';
import { type EventSink, EventStreamParser, MAX_EVENT_BYTES, type ServerSentEvent } from './event-stream-parser.js';

function parse(...pieces: (string | Buffer)[]): ServerSentEvent[] {
  const parser = new EventStreamParser();
  return [...pieces.flatMap((piece) => parser.push(Buffer.from(piece))), ...parser.end()];
}

function cut(bytes: Buffer, offsets: readonly number[]): Buffer[] {
  const sorted = [0, ...offsets.map((offset) => offset % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
  return sorted.slice(1).map((to, index) => bytes.subarray(sorted[index], to));
}

/** With a sink that is shown the bytes, and takes none. */
function parseShown(pieces: readonly Buffer[]): { events: ServerSentEvent[]; shown: string[] } {
  const parser = new EventStreamParser();
  const events: ServerSentEvent[] = [];
  const shown: string[] = [];
  const sink: EventSink = {
    event: (event, data) => events.push({ event, data }),
    run: (bytes, position) => {
      shown.push(bytes.slice(position));
      return position;
    },
  };
  for (const piece of pieces) parser.feed(piece, sink);
  parser.finish(sink);
  return { events, shown };
}

const plain = (...data: string[]) => data.map((one) => ({ event: '', data: one }));

describe('EventStreamParser', () => {
  it.each([
    ['LF', 'data: one\n\ndata: two\n\n', plain('one', 'two')],
    ['CRLF', 'data: one\r\n\r\ndata: two\r\n\r\n', plain('one', 'two')],
    ['CR', 'data: one\r\rdata: two\r\r', plain('one', 'two')],
    ['mixed line ends', 'data: one\r\n\ndata: two\r\n\r', plain('one', 'two')],
    ['no space after the colon', 'data:one\n\n', plain('one')],
    ['only the first space is taken', 'data:  one\n\n', plain(' one')],
    ['several data lines', 'data: one\ndata:two\ndata\n\n', plain('one\ntwo\n')],
    ['several data lines ended with CRLF', 'data: one\r\ndata: two\r\n\r\n', plain('one\ntwo')],
    ['empty data', 'data\n\ndata:\n\n', plain('', '')],
    ['comments and unknown fields', ': wait\n\n:\nid: 7\nretry: 9\ndata: one\nnothing\n\n', plain('one')],
    ['a named event', 'event: error\ndata: one\n\ndata: two\n\n', [{ event: 'error', data: 'one' }, ...plain('two')]],
    ['an event without data is none', 'event: error\n\ndata: one\n\n', plain('one')],
    ['a byte order mark', '\u{FEFF}data: one\n\ndata: \u{FEFF}two\n\n', plain('one', '\u{FEFF}two')],
    ['an end without a blank line', 'data: one\n\ndata: two', plain('one', 'two')],
    ['nothing', '', []],
  ])('reads %s', (_name, text, events) => {
    expect(parse(text)).toEqual(events);
    expect(parse(...cut(Buffer.from(text), [...Buffer.from(text).keys()]))).toEqual(events);
    expect(parseShown([Buffer.from(text)]).events).toEqual(events);
  });

  it('gives an event with its blank line, not with the next read', () => {
    const parser = new EventStreamParser();
    expect(parser.push(Buffer.from('data: one\n'))).toEqual([]);
    expect(parser.push(Buffer.from('\n'))).toEqual(plain('one'));
    expect(parser.push(Buffer.from('data: two\r\n\r'))).toEqual(plain('two'));
    expect(parser.push(Buffer.from('\n'))).toEqual([]);
  });

  it('reads the same events from any cutting of any stream', () => {
    const line = fc.constantFrom('\n', '\r\n', '\r');
    const text = fc.oneof(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'binary' })).map((value) => value.replace(/[\r\n]/g, ''));
    const field = fc.oneof(
      text.map((value) => `data: ${value}`),
      text.map((value) => `event:${value}`),
      text.map((value) => `:${value}`),
      text,
      fc.constant(''),
    );
    const stream = fc.array(fc.tuple(field, line)).map((lines) => Buffer.from(lines.flat().join('')));
    fc.assert(
      fc.property(stream, fc.array(fc.nat()), (bytes, offsets) => {
        expect(parse(...cut(bytes, offsets))).toEqual(parse(bytes));
        expect(parseShown(cut(bytes, offsets)).events).toEqual(parse(bytes));
      }),
      { numRuns: samples(500) },
    );
  });

  it('shows each event and what follows it as bytes, but no bytes that are not UTF-8', () => {
    expect(parseShown([Buffer.from('data: é\n\ndata: 字\n\n')])).toEqual({
      events: plain('é', '字'),
      shown: ['data: \xc3\xa9\n\ndata: \xe5\xad\x97\n\n', 'data: \xe5\xad\x97\n\n'],
    });
    const broken = Buffer.concat([Buffer.from('data: é'), Buffer.from([0xff]), Buffer.from('\n\n')]);
    expect(parseShown([broken])).toEqual({ events: plain('é\ufffd'), shown: [] });
  });

  it('refuses an event of more than 10 MB, on one line or many', () => {
    const mega = Buffer.alloc(1024 * 1024, 'x');
    const oneLine = new EventStreamParser();
    oneLine.push(Buffer.from('data: '));
    for (let i = 1; i < 10; i++) oneLine.push(mega);
    expect(() => oneLine.push(mega)).toThrow(expect.objectContaining({ name: 'ProviderError', kind: 'limit_exceeded' }));

    const lines = new EventStreamParser();
    const push = () => {
      for (let i = 0; i <= MAX_EVENT_BYTES / mega.length; i++) lines.push(Buffer.concat([Buffer.from('data: '), mega, Buffer.from('\n')]));
    };
    expect(push).toThrow(expect.objectContaining({ kind: 'limit_exceeded' }));
  });

  it('refuses an event of very many lines, however little is on them', () => {
    const parser = new EventStreamParser();
    expect(parser.push(Buffer.from(`${'data\n'.repeat(100_000)}\n`))).toEqual([{ event: '', data: '\n'.repeat(99_999) }]);
    expect(() => parser.push(Buffer.from('data\n'.repeat(100_001)))).toThrow(expect.objectContaining({ kind: 'limit_exceeded' }));
  });

  it('keeps bytes that come one by one in little more memory than they have', () => {
    const parser = new EventStreamParser();
    const x = Buffer.alloc(64 * 1024, 'x');
    const before = process.memoryUsage();
    parser.push(Buffer.from('data: '));
    for (let at = 0; at < 1024 * 1024; at++) parser.push(x.subarray(at % 1024, (at % 1024) + 1));
    const after = process.memoryUsage();
    expect(after.heapUsed + after.external - before.heapUsed - before.external).toBeLessThan(50 * 1024 * 1024);
    expect(parser.push(Buffer.from('\n\n'))[0]!.data).toHaveLength(1024 * 1024);
  });
});
