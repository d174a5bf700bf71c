import { readableLines } from './readable-lines.js';

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
