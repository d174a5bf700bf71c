import { readableLines } from './readable-lines.js';
import { setTimeout as delay } from 'node:timers/promises';
import { GatheredLines } from './gathered-lines.js';
import { errorBody } from '../wire/error.js';
import type { EndedRequest } from '../http/server/open-requests.js';
import { fieldsOf } from './request-log.js';
import { droppedText } from './dropped-text.js';
import type { AttemptRecord } from '../common/requests/generation-record.js';
import { attemptsText } from './attempts-text.js';

const time = new Date(2026, 10, 23, 4, 5, 6, 78).getTime();
const made = (fields: object): string => readableLines(`${JSON.stringify({ level: 'info', time, ...fields })}\n`);

describe('readableLines', () => {
  it('has the time of day, the level, the message and the fields', () => {
    expect(made({ worker: 2, route: '/v1/models', status: 200, text: 'two words', key: null, msg: 'request' })).toBe(
      '04:05:06.078 INFO  request worker=2 route=/v1/models status=200 text="two words"\n',
    );
  });

  it('puts the stack of an error below its message', () => {
    const err = { type: 'Error', message: 'no room', stack: 'Error: no room\n    at here (file.ts:1:2)' };
    expect(made({ level: 'error', context: 'Disk', err })).toBe(
      '04:05:06.078 ERROR no room context=Disk\n    Error: no room\n        at here (file.ts:1:2)\n',
    );
    expect(made({ level: 'error', stack: 'Error: a\n    at b', msg: 'failed' })).toBe(
      '04:05:06.078 ERROR failed\n    Error: a\n        at b\n',
    );
  });

  it('turns many lines, and leaves what is no JSON', () => {
    const line = `{"level":"warn","time":${time},"msg":"a"}`;
    expect(readableLines(`${line}\nfrom elsewhere\n{ broken }\n${line}\n`)).toBe(
      '04:05:06.078 WARN  a\nfrom elsewhere\n{ broken }\n04:05:06.078 WARN  a\n',
    );
  });

  it('lets no text command the terminal', () => {
    const bad = '\u001b[2J\u0007\u009b1m\r\n\u202e';
    const line = made({ msg: `m${bad}`, model: bad, err: { stack: `s${bad}` } });
    // Line feeds of a stack are its lines.
    expect(line.replaceAll('\n', '')).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202e]/); // eslint-disable-line no-control-regex
    expect(line).toContain('m\\u001b[2J\\u0007\\u009b1m\\u000d\\u000a\\u202e');
  });

  it('lets none do so after a line separator, which JSON leaves as it is', () => {
    const bad = '\u2028\u009b2J\u2029';
    for (const line of [made({ msg: 'request', model: bad }), made({ msg: [bad] })])
      expect(line).toMatch(/^[\u0020-\u007e]+\\u2028\\u009b2J\\u2029[\u0020-\u007e]*\n$/);
    expect(made({ msg: 'request', model: bad })).toBe('04:05:06.078 INFO  request model="\\u2028\\u009b2J\\u2029"\n');
  });
});

function setUp() {
  const written: string[] = [];
  return { written, lines: new GatheredLines({ write: (text) => written.push(text) }) };
}

describe('GatheredLines', () => {
  it('passes on in one piece and in their order what came within 50 ms', async () => {
    const { written, lines } = setUp();
    for (const line of ['a\n', 'b\n']) lines.write(line);
    expect(written).toEqual([]);
    await delay(80);
    expect(written).toEqual(['a\nb\n']);
    lines.write('c\n');
    await delay(80);
    expect(written).toEqual(['a\nb\n', 'c\n']);
  });

  it('does not wait once there is much, nor when it is told not to', async () => {
    const { written, lines } = setUp();
    for (let n = 0; n < 9; n++) lines.write(`${'x'.repeat(4095)}\n`);
    expect(written.map(({ length }) => length)).toEqual([32_768]);
    lines.flush();
    expect(written.map(({ length }) => length)).toEqual([32_768, 4_096]);
    await delay(80);
    expect(written).toHaveLength(2);
  });
});

const fields = (request: object, status = 200): unknown => {
  const ended = {
    request: { id: 'id', method: 'POST', routeOptions: { url: '/v1/chat/completions' }, ...request },
    reply: { raw: { statusCode: status } },
    ms: 3.0499,
    answered: true,
  };
  return JSON.parse(`{${fieldsOf(ended as unknown as EndedRequest)}}`);
};

const always = { id: 'id', method: 'POST', route: '/v1/chat/completions', status: 200, answered: true, ms: 3, msg: 'request' };

describe('the line of a request', () => {
  it('names who, what, how it ended and how long it took', () => {
    expect(fields({ body: { model: 'm', messages: ['secret'] }, principal: { keyId: 'key_1' } })).toEqual({
      ...always,
      key: 'key_1',
      model: 'm',
    });
    expect(fields({ answeredError: errorBody('rate_limit_exceeded', 'Wait.').error }, 429)).toEqual({
      ...always,
      status: 429,
      code: 'rate_limit_exceeded',
    });
    expect(fields({ routeOptions: {}, body: { model: 7 } })).toEqual({ ...always, route: undefined });
  });

  it('is one line of JSON whatever the client calls its model, and of bounded length', () => {
    const model = '"\\\n\u2028\u0000\ud800é';
    expect(fields({ body: { model } })).toEqual({ ...always, model });
    expect(fields({ body: { model: 'x'.repeat(1_000) } })).toEqual({ ...always, model: 'x'.repeat(128) });
  });
});

describe('droppedText', () => {
  const names = Array.from({ length: 500 }, (_, index) => `name"${index}`);
  const read = (count: number) => JSON.parse(droppedText(new Set(names.slice(0, count)))) as string[];

  it('names each of a few', () => {
    for (const count of [0, 1, 32]) expect(read(count)).toEqual(names.slice(0, count));
  });

  it('cuts a long one', () => expect(droppedText(new Set(['n'.repeat(300)]))).toBe(`["${'n'.repeat(64)}…"]`));

  it('counts what is beyond', () => expect(read(500)).toEqual([...names.slice(0, 32), '… and 468 more']));
});

describe('the text of a request’s attempts', () => {
  it('says all that is known of each, to the microsecond, whatever the offer is called', () => {
    const whole: Required<AttemptRecord> = {
      offer: 'a/"m"\\\n\ud800é',
      outcome: 'rate_limited',
      startedMs: 0.0004,
      queueMs: 1e-9,
      firstTokenMs: 12.345678,
      totalMs: 60_000.00049,
      status: 429,
      cacheBreakpoints: ['tools', 'last_turns'],
      contradictory: true,
      spanId: '0123456789abcdef',
    };
    const least = { offer: 'b/m', outcome: 'queue_full', startedMs: 12_345.6785 };
    expect(JSON.parse(attemptsText([whole, least]))).toEqual([
      { ...whole, startedMs: 0, queueMs: 0, firstTokenMs: 12.346, totalMs: 60_000 },
      { ...least, startedMs: 12_345.679 },
    ]);
    expect(attemptsText([])).toBe('[]');
  });
});
