import { normalEmail } from './email.js';

describe('normalEmail', () => {
  it.each([
    [' Ada@Example.COM ', 'ada@example.com'],
    ['owner@localhost', 'owner@localhost'],
    ['ada+keys@bücher.example', 'ada+keys@xn--bcher-kva.example'],
    ['A\u0308da@example.com', 'äda@example.com'],
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
  ])('refuses %j', (text) => expect(() => normalEmail(text)).toThrow(RangeError));
});
