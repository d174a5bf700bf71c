import { redact } from './redact.js';

const key = 'sk-proj-Ab12Cd34Ef56Gh78yz';

describe('redact', () => {
  it.each([
    [`Incorrect API key provided: ${key}.`, 'Incorrect API key provided: [redacted].'],
    ['Incorrect API key provided: sk-pr***yz.', 'Incorrect API key provided: [redacted].'],
    ['key sk-proj-********************78yz is wrong', 'key [redacted] is wrong'],
    ['key sk-proj...78yz is wrong', 'key [redacted] is wrong'],
    ['key sk-p…yz', 'key [redacted]'],
    ['key XXXXXXXX78yz', 'key [redacted]'],
    ['another key a***b', 'another key [redacted]'],
    ['please wait...then try again', 'please wait...then try again'],
    ['the year XXXX', 'the year XXXX'],
    ['', ''],
  ])('%s', (text, expected) => expect(redact(text, [key])).toBe(expected));

  it('takes time in proportion to the text', () => {
    const before = performance.now();
    for (const text of ['a', '-', 'x', 'a.', 'a*', '*']) redact(text.repeat(64 * 1024), [key]);
    expect(performance.now() - before).toBeLessThan(20_000);
  });

  it('leaves a text alone where there is nothing to hide', () => expect(redact('sk-a...b', [])).toBe('sk-a...b'));
});
