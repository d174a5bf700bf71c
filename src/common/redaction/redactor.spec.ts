import * as fc from 'fast-check';
import { Redactor } from './redactor.js';

const each = (text: string, encode: (code: number, char: string) => string): string =>
  Array.from(text, (char) => encode(char.codePointAt(0)!, char)).join('');
const two = (code: number): string => code.toString(16).padStart(2, '0');

/** Encodings that take one character after the other, so that a part of the secret is a part of the result. */
const encodings: Readonly<Record<string, (text: string) => string>> = {
  none: (text) => text,
  'upper case': (text) => text.toUpperCase(),
  'encodeURIComponent': encodeURIComponent,
  'percent, lower case': (text) => each(text, (code) => `%${two(code)}`),
  'percent, upper case': (text) => each(text, (code) => `%${two(code).toUpperCase()}`),
  'percent, every other character': (text) => Array.from(text, (char, index) => (index % 2 ? char : `%${two(char.charCodeAt(0))}`)).join(''),
  'escapes of JSON': (text) => each(text, (code) => `\\u${two(code).padStart(4, '0')}`),
  'escapes of JSON, upper case': (text) => each(text, (code) => `\\u${two(code).toUpperCase().padStart(4, '0')}`),
  'escapes of JavaScript': (text) => each(text, (code) => `\\x${two(code)}`),
  'braced escapes': (text) => each(text, (code) => `\\u{${two(code)}}`),
  'octal escapes': (text) => each(text, (code) => `\\${code.toString(8).padStart(3, '0')}`),
  'HTML, decimal': (text) => each(text, (code) => `&#${code};`),
  'HTML, hexadecimal': (text) => each(text, (code) => `&#x${two(code)};`),
  'HTML, with zeros and without the semicolon': (text) => each(text, (code) => `&#0${code}`).replaceAll('&', ' &').replaceAll(' ', ''),
  'JSON.stringify': (text) => JSON.stringify(text).slice(1, -1),
  hexadecimal: (text) => Buffer.from(text).toString('hex'),
  'hexadecimal, upper case': (text) => Buffer.from(text).toString('hex').toUpperCase(),
  'spaces of no width': (text) => each(text, (_, char) => `${char}\u200b`),
  'line breaks': (text) => text.replace(/.{3}/g, '$&\r\n'),
}; // prettier-ignore

const base64s: Readonly<Record<string, (text: string) => string>> = {
  Base64: (text) => Buffer.from(text).toString('base64'),
  'Base64 of a user and the secret': (text) => Buffer.from(`me:${text}`).toString('base64'),
  'Base64 inside a text': (text) => Buffer.from(`a${text}bc`).toString('base64'),
  'the alphabet for URLs': (text) => Buffer.from(text).toString('base64url'),
  'Base64 in lines': (text) => Buffer.from(text).toString('base64').replace(/.{5}/g, '$&\n'),
};

/** What is put around another encoding. */
const outer = ['none', 'encodeURIComponent', 'percent, lower case', 'escapes of JSON', 'HTML, decimal', 'JSON.stringify'] as const;

const secret = fc.string({
  unit: fc.constantFrom(...'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_+/=.:~%&"<\\'.split('')),
  minLength: 12,
  maxLength: 60,
});
/** A secret and a part of it. */
const cut = secret
  .chain((whole) => fc.tuple(fc.constant(whole), fc.nat(whole.length - 8), fc.integer({ min: 8, max: whole.length })))
  .map(([whole, from, length]) => ({ whole, part: whole.slice(from, Math.max(from + 8, from + length)) }));
const around = fc.constantFrom('', ' ', 'Incorrect key: ', '"', '. Try again', 'a', '=', '%', '{"error":"');

/** A text in which escapes are ambiguous: a part of `%41` may be left of it, and `%ad` is none. */
const isAmbiguous = (text: string): boolean => /%[\da-f]{2}|&#?\w|\\["'\\/nrtbf\dux]|[%&\\]$/i.test(text);

/** Every run of `length` characters. */
function runs(text: string, length: number): string[] {
  return Array.from({ length: text.length - length + 1 }, (_, from) => text.slice(from, from + length));
}

describe('Redactor', () => {
  for (const [name, encode] of Object.entries(encodings)) {
    const ascii = name !== 'spaces of no width';
    it.each(ascii ? outer : ['none', 'escapes of JSON'])(`leaves no eight characters of a secret: ${name}, in %s`, (outside) => {
      fc.assert(
        fc.property(cut, around, around, ({ whole, part }, before, after) => {
          fc.pre(!isAmbiguous(before + part + after) && !isAmbiguous(part));
          const wrap = (text: string): string => encodings[outside]!(encode(text));
          const given = new Redactor([whole]).redact(before + wrap(part) + after);
          for (const run of runs(part, 8)) if (wrap(run).length >= 8) expect(given).not.toContain(wrap(run));
          expect(given).toContain('[redacted]');
        }),
      );
    });
  }

  for (const [name, encode] of Object.entries(base64s)) {
    it.each(outer)(`leaves no eight characters of a secret: ${name}, in %s`, (outside) => {
      fc.assert(
        fc.property(cut, around, around, ({ whole, part }, before, after) => {
          const wrap = encodings[outside]!;
          const given = new Redactor([whole]).redact(before + wrap(encode(part)) + after);
          // Eight bytes are eleven characters.
          const plain = encode(part).replace(/=+$/, '');
          const within = plain.slice(name.includes('user') || name.includes('inside') ? 4 : 0);
          for (const run of runs(within.slice(0, part.length), 11)) expect(given).not.toContain(wrap(run));
          expect(given).toContain('[redacted]');
        }),
      );
    });
  }

  const key = 'sk-proj-Ab12Cd34Ef56Gh78yz';
  const redactor = new Redactor([key, 'short', 'abc', '']);

  it.each([
    [`https://a.example/v1?key=${key}&alt=sse failed`, 'https://a.example/v1?key=[redacted]&alt=sse failed'],
    ['your key ends with Gh78yz', 'your key ends with Gh78yz'],
    ['a short one', 'a [redacted] one'],
    ['shorter', '[redacted]er'],
    ['abc', 'abc'],
    [`${key}${key}`, '[redacted]'],
    [`${key} and ${key.slice(3, 15)}`, '[redacted] and [redacted]'],
    [
      'What a model says of 100% and &c. stays: \\n %zz &#x; &#99999999;',
      'What a model says of 100% and &c. stays: \\n %zz &#x; &#99999999;',
    ],
  ])('%s', (text, expected) => expect(redactor.redact(text)).toBe(expected));

  it('hides from the log only what is long enough to be no word', () => {
    expect(redactor.hide(`{"level":"short","msg":"${key}"}`)).toBe('{"level":"short","msg":"[redacted]"}');
    expect(redactor.hide('waiting *** ...')).toBe('waiting *** ...');
  });

  it('finds a secret of several words as a whole, its long words in pieces, and leaves its other words alone', () => {
    const phrases = new Redactor(['a pepper of at least thirty-two characters', 'Bearer abcdef1234567890XYZ']);
    expect(phrases.hide('{"msg":"it must have at least two characters"}')).toBe('{"msg":"it must have at least two characters"}');
    expect(phrases.redact('is A pepper of at least thirty-two characters!')).toBe('is [redacted]!');
    expect(phrases.redact('is a+pepper+of+at+least+thirty-two+characters!')).toBe('is [redacted]!');
    expect(phrases.redact('is a%20pepper%20of%20at%20least%20thirty-two%20characters!')).toBe('is [redacted]!');
    expect(phrases.redact(`is ${Buffer.from('a pepper of at least thirty-two').toString('base64')}`)).toMatch(/^is \S?\[redacted]/);
    expect(phrases.redact('Bearer of 1234567890')).toBe('Bearer of [redacted]');
  });

  it('leaves JSON valid', () => {
    fc.assert(
      fc.property(cut, fc.string(), ({ whole, part }, other) => {
        const line = JSON.stringify({ level: 'warn', msg: `${other}${part}${other}`, err: { stack: part } });
        expect(() => JSON.parse(new Redactor([whole]).hide(line)) as unknown).not.toThrow();
      }),
    );
  });

  it('takes time in proportion to the text', () => {
    const before = performance.now();
    for (const text of ['a', '%', '%25', '&amp;', '\\', '\\u0025', '&#', 'sk-proj-', 'a.', 'a*', '\u200b', 'A12C', '*', '.'])
      redactor.redact(text.repeat(16 * 1024));
    expect(performance.now() - before).toBeLessThan(20_000);
  });
});

const key = 'sk-proj-Ab12Cd34Ef56Gh78yz';

describe('what vendors write of a key', () => {
  const redact = (text: string, secrets: readonly string[]) => new Redactor(secrets).redact(text);

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

  it('leaves a text alone where there is nothing to hide', () => expect(redact('sk-a...b', [])).toBe('sk-a...b'));
});
