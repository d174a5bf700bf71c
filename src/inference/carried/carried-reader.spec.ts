import { createSecretKey, randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { jest } from '@jest/globals';
import { BufferList } from '../../json/buffer-list.js';
import { parseWhole } from '../../json/testing/parse-whole.js';
import { type CarriedFacts, CarriedTexts, isCarried } from './carried-facts.js';
import { CarriedReader } from './carried-reader.js';
import { carriedReader, carriedTexts } from './testing/carried-texts.js';

const MB = 1024 * 1024;
const signed = (signature: string): CarriedFacts => ({ block: { type: 'thinking', signature } });
const read = (text: string, reader = carriedReader()) => reader.facts({ text }, 'text', 'what');

/** A member as a body of this JSON has it: long ones are not decoded. */
const memberOf = (json: string): object => {
  const body = parseWhole(new BufferList([Buffer.from(`{"list":[{"signature":${json}}]}`)])) as { list: [object] };
  return body.list[0];
};

describe('CarriedReader', () => {
  it('reads what was written, whatever it is', () => {
    const block = fc.record(
      {
        type: fc.constantFrom('thinking' as const, 'redacted_thinking' as const),
        signature: fc.string({ unit: 'grapheme' }),
        data: fc.string({ unit: 'grapheme' }),
        wire: fc.constant('openai-responses' as const),
      },
      { requiredKeys: ['type'] },
    );
    const extra = fc.record({ extra_content: fc.jsonValue(), of: fc.constantFrom('call' as const, 'answer' as const) });
    fc.assert(
      fc.property(fc.oneof(fc.record({ block }), extra), (facts) => {
        const reader = carriedReader();
        const text = carriedTexts.write(facts);
        expect(isCarried({ text }, 'text')).toBe(true);
        expect(JSON.stringify(read(text, reader))).toBe(JSON.stringify(facts));
        expect(reader.leftOut).toBeUndefined();
      }),
    );
  });

  it('puts in words no more than is read at once', () => {
    const reader = carriedReader();
    const most = { text: 'x'.repeat(3 * MB) };
    expect([reader.words(most, 'first'), reader.words(most, 'second')]).toEqual([JSON.stringify(most), '']);
    expect([...reader.leftOut!]).toEqual(['second']);
  });

  it('leaves out what was changed, forged or written with another key, and parses none of it', () => {
    const text = carriedTexts.write(signed('s'));
    const others = [
      new CarriedTexts(createSecretKey(randomBytes(32))).write(signed('s')),
      `switchyard:${Buffer.from(JSON.stringify(signed('s'))).toString('base64url')}`,
      'switchyard.1.s.signature',
      'switchyard.1.c.{"a":1}',
      'switchyard.2.',
      'switchyard.2.x.e30',
      'switchyard.3.x',
      `${text}A`,
      text.slice(0, -1),
      text.replace('switchyard.2.', 'switchyard.2.A'),
      ...Array.from({ length: text.length }, (_, at) => text.slice(0, at) + (text[at] === 'A' ? 'B' : 'A') + text.slice(at + 1)).slice(11),
    ];
    const parse = jest.spyOn(JSON, 'parse');
    try {
      const reader = carriedReader();
      expect(others.filter((other) => !isCarried({ other }, 'other'))).toEqual([]);
      expect(others.map((other) => read(other, reader)).filter((facts) => facts !== undefined)).toEqual([]);
      expect([...reader.leftOut!]).toEqual(['what']);
      expect(parse).not.toHaveBeenCalled();
    } finally {
      parse.mockRestore();
    }
  });

  it('reads a long text, however it is escaped', () => {
    const facts = signed('s'.repeat(200_000));
    const text = carriedTexts.write(facts);
    expect(carriedReader().facts(memberOf(`"${text}"`), 'signature', 'what')).toEqual(facts);
    const escaped = memberOf(`"\\u0073${text.slice(1)}"`);
    expect(carriedReader().facts(escaped, 'signature', 'what')).toEqual(facts);
  });

  describe('of one request', () => {
    let tagged: number[];
    let reader: CarriedReader;
    beforeEach(() => {
      tagged = [];
      reader = new CarriedReader({
        payloadOf(text: string) {
          tagged.push(text.length);
          return carriedTexts.payloadOf(text);
        },
      });
    });

    it('looks at no more than a bounded size, whosever it is', () => {
      const forged = `switchyard.2.${'A'.repeat(22)}.${'A'.repeat(100_000)}`;
      for (let index = 0; index < 310; index++) reader.facts({ forged }, 'forged', 'what');
      const sum = tagged.reduce((all, length) => all + length, 0);
      expect(sum).toBeGreaterThan(4 * MB - forged.length);
      expect(sum).toBeLessThanOrEqual(4 * MB);
    });

    it('looks at no more than a bounded number, and tells the rest as left out', () => {
      const text = carriedTexts.write(signed('s'));
      for (let index = 0; index < 4_000; index++) expect(reader.facts({ text }, 'text', 'what')).toBeDefined();
      expect(reader.leftOut).toBeUndefined();
      const unread = {
        get text(): string {
          throw new Error('it is looked at');
        },
      };
      expect(reader.facts(unread, 'text', 'what')).toBeUndefined();
      expect([...reader.leftOut!]).toEqual(['what']);
      expect(tagged).toHaveLength(4_000);
    });
  });

  it.each([
    ['names', () => Object.fromEntries(Array.from({ length: 4_097 }, (_, index) => [`n${index}`, 0]))],
    ['levels', () => JSON.parse(`${'['.repeat(100)}${']'.repeat(100)}`) as unknown],
    ['objects', () => Array.from({ length: 50_000 }, () => ({}))],
  ])('parses no more %s than a body may have, also of its own', (_, content) => {
    const reader = carriedReader();
    const parse = jest.spyOn(JSON, 'parse');
    try {
      const facts = { extra_content: content(), of: 'call' } as const;
      parse.mockClear();
      expect(read(carriedTexts.write(facts), reader)).toBeUndefined();
      expect(parse).not.toHaveBeenCalled();
    } finally {
      parse.mockRestore();
    }
  });

  it('counts all that one request carries together', () => {
    const one = carriedTexts.write({ extra_content: Array.from({ length: 9_000 }, () => ({})), of: 'call' });
    const reader = carriedReader();
    const found = Array.from({ length: 40 }, () => read(one, reader)).filter((facts) => facts !== undefined).length;
    expect(found).toBeGreaterThan(3);
    expect(found).toBeLessThan(15);
    expect(carriedReader().facts({ one }, 'one', 'what')).toBeDefined();
  });
});
