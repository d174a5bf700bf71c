import { domainToUnicode } from 'node:url';
import { emailToFind, isOldEmail, normalEmail, normalEmailIfAny } from './email.js';

describe('normalEmail', () => {
  it.each([
    [' Ada@Example.COM ', 'ada@example.com'],
    ['owner@localhost', 'owner@localhost'],
    ['ada+keys@bücher.example', 'ada+keys@xn--bcher-kva.example'],
    ['Äda@example.com', 'Äda@example.com'],
  ])('writes %j as %j', (text, email) => expect(normalEmail(text)).toBe(email));

  it.each([
    '',
    'ada',
    '@example.com',
    'ada@',
    'a b@example.com',
    'ada@exa mple.com',
    'ada@b@c',
    'ada\n@example.com',
    '<ada@example.com>',
    'ada@example.com\u0000',
    `${'a'.repeat(65)}@example.com`,
    `a@${'b'.repeat(254)}`,
    'ada\u202e@example.com',
    '\u212aate@example.com',
    'A\u0308da@example.com',
    'ada@example.com\u00a0',
    'ada@example.com\n',
    '\tada@example.com',
    '\u2028ada@example.com',
    '\ufeffada@example.com',
    'ada@ex\u00adample.com',
    'ada@BÜCHER.example',
    'ada@0x7f.1',
  ])('refuses %j', (text) => expect(() => normalEmail(text)).toThrow(RangeError));

  it('folds the case of ASCII and nothing else, whatever the character and wherever it stands', () => {
    const folded: string[] = [];
    for (let code = 0; code <= 0x1_ffff; code++) {
      const char = String.fromCodePoint(code);
      const kept = char.replace(/[A-Z]/, (letter) => letter.toLowerCase());
      const local = normalEmailIfAny(`a${char}b@example.com`)?.split('@')[0];
      const host = normalEmailIfAny(`ada@a${char}b.example`)?.split('@')[1];
      if ((local ?? `a${kept}b`) !== `a${kept}b`) folded.push(`${code.toString(16)} before the @`);
      if (host !== undefined && domainToUnicode(host) !== `a${kept}b.example`) folded.push(`${code.toString(16)} behind the @`);
    }
    expect(folded).toEqual([]);
  });
});

describe('An address that a provider of identities tells', () => {
  it.each(['\n', ' ', '\t', '\u1680', '\u2028', '\u2029', '\ufeff'])('is none with %j before or behind it', (space) => {
    const texts = [`${space}ada@example.com`, `ada@example.com${space}`];
    expect(texts.flatMap((text) => [normalEmailIfAny(text), emailToFind(text)])).toEqual(Array(4).fill(undefined));
  });
});

describe('An address that was stored before such ones were refused', () => {
  const old = '\ufb01@example.com';

  it('is found by itself, and is told from those of today', () => {
    expect(emailToFind('\ufb01@Example.com')).toBe(old);
    expect([old, 'ada@example.com', 'ada@xn--bcher-kva.example'].map(isOldEmail)).toEqual([true, false, false]);
  });

  it('does not let anybody be found by an address that is like theirs', () =>
    expect(['fi@example.com', '\u212aate@example.com', 'A\u0308da@example.com'].map(emailToFind)).toEqual([
      'fi@example.com',
      '\u212aate@example.com',
      'a\u0308da@example.com',
    ]));

  it('is not found by what is none', () => expect(emailToFind('ada')).toBeUndefined());
});
