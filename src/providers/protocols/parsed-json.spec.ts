import fc from 'fast-check';
import { requireParsable } from '../translation/parsed-json.js';
import { argumentsObject } from '../translation/arguments-object.js';
import type { ChatGenerationRequest } from '../../wire/generation.js';
import { describeLongTexts } from '../testing/describe-long-texts.js';
import { messagesRequest } from './anthropic-messages/request.js';
import type { ModelTraits as MessagesTraits } from './anthropic-messages/model-traits.js';
import { generateContentRequest } from './gemini-generate-content/request.js';
import { jsonLines } from './json-lines.js';

const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);

describe('requireParsable', () => {
  it('refuses what is nested deeper than 100 levels, wherever it is', () => {
    expect(() => requireParsable(nested(100))).not.toThrow();
    expect(() => requireParsable(nested(101))).toThrow(expect.objectContaining({ kind: 'limit_exceeded' }));
    expect(() => requireParsable(`{"a":"${'x'.repeat(500)}","b":${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}}`)).toThrow('nested deeper');
  });

  it('refuses more objects and arrays than log probabilities have, and objects with more than 4,096 members', () => {
    const limit = expect.objectContaining({ kind: 'limit_exceeded' }) as Error;
    const members = (count: number) => `{${Array.from({ length: count }, (_, index) => `"z${index}":[]`).join()}}`;
    expect(() => requireParsable(`[${'{},'.repeat(100_000)}{}]`)).toThrow(limit);
    expect(() => requireParsable(`[${`${nested(90)},`.repeat(1_000)}[]]`)).toThrow(limit);
    expect(() => requireParsable(members(4_097))).toThrow(limit);

    const logprobs = Array.from({ length: 40_000 }, () => ({ token: 'a', logprob: -1, bytes: [97], top_logprobs: [] }));
    expect(() => requireParsable(JSON.stringify({ logprobs }))).not.toThrow();
    expect(() => requireParsable(`[${members(4_096)},${members(4_096)}]`)).not.toThrow();
  });

  it('takes no bracket of a text for one of the JSON', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: fc.constantFrom('[', '{', '"', '\\', 'a', ']') }), { maxLength: 50 }), (texts) => {
        expect(() => requireParsable(JSON.stringify([...texts, '['.repeat(300), { [`\\"${'{'.repeat(300)}`]: texts }]))).not.toThrow();
        expect(() => requireParsable(JSON.stringify([...texts, JSON.parse(nested(100))]))).toThrow('nested deeper');
      }),
    );
  });
});

describe('argumentsObject', () => {
  const deep = (levels: number): string => `{"a":${'['.repeat(levels)}${']'.repeat(levels)}}`;

  it.each([
    ['', {}],
    [' \n', {}],
    ['{"a":1}', { a: 1 }],
    ['[1]', undefined],
    ['"a"', undefined],
    ['{"a":', undefined],
  ])('reads %j as %j', (text, value) => {
    expect(argumentsObject(text)).toEqual(value);
  });

  it('reads nothing that cannot be written again', () => {
    expect(JSON.stringify(argumentsObject(deep(90)))).toBe(deep(90));
    expect(argumentsObject(deep(200_000))).toBeUndefined();
  });
});

const traits: MessagesTraits = {
  maxTokens: 64_000,
  thinking: 'adaptive',
  thinkingOff: 'disabled',
  efforts: ['high'],
  forcedTools: true,
  structuredOutputs: true,
  systemTurns: true,
};
const anthropic = (request: ChatGenerationRequest) => messagesRequest(request, 'theirs', traits, () => undefined).body;
const unclosed = (request: ChatGenerationRequest) =>
  messagesRequest(request, 'theirs', { ...traits, structuredOutputs: false, forcedTools: false }, () => undefined).body;
const gemini = (request: ChatGenerationRequest) => generateContentRequest(request, { signedCalls: true } as never, () => undefined);

describe('translatedJson of a request in Anthropic’s format', () => {
  describeLongTexts(anthropic);
});
describe('translatedJson of a request in Anthropic’s format, of an older model', () => {
  describeLongTexts(unclosed, { response_format: undefined });
});
describe('translatedJson of a request in Google’s format', () => {
  describeLongTexts(gemini);
});

function read(pieces: readonly Buffer[]): string[] {
  const lines: string[] = [];
  const parser = jsonLines.parser();
  const sink = { event: (name: string, data: string): void => void lines.push(name + data) };
  for (const piece of pieces) parser.feed(piece, sink);
  parser.finish(sink);
  return lines;
}

const json = fc.json({ stringUnit: 'grapheme' }).map((text) => JSON.stringify(JSON.parse(text)));
const framing = fc.record({ ends: fc.constantFrom('\n', '\r\n', '\n\n', '\n \n'), last: fc.boolean() });

describe('jsonLines', () => {
  it('reads each line, however the bytes are cut and the lines are ended', () => {
    fc.assert(
      fc.property(fc.array(json, { minLength: 1 }), framing, fc.array(fc.nat()), (lines, { ends, last }, offsets) => {
        const bytes = Buffer.from(lines.join(ends) + (last ? ends : ''));
        const cuts = offsets.map((offset) => offset % bytes.length).sort((a, b) => a - b);
        const pieces = [...cuts, bytes.length]
          .map((to, index) => bytes.subarray(cuts[index - 1] ?? 0, to))
          .filter(({ length }) => length > 0);
        expect(read(pieces)).toEqual(lines);
      }),
    );
  });

  it('gives a line as soon as it is complete, and knows what waits', () => {
    const parser = jsonLines.parser();
    const lines: string[] = [];
    const sink = { event: (_: string, data: string): void => void lines.push(data) };
    parser.feed(Buffer.from('{"a":1}\n{"b'), sink);
    expect([lines, parser.waiting]).toEqual([['{"a":1}'], 3]);
    parser.feed(Buffer.from('":2}\n'), sink);
    expect([lines, parser.waiting]).toEqual([['{"a":1}', '{"b":2}'], 0]);
  });

  it.each([
    ['without an end', ''],
    ['with an end at last', '\n'],
  ])('refuses a line that is too long, %s', (_, end) => {
    const piece = Buffer.alloc(5 * 1024 * 1024 + 1, 'x');
    const parser = jsonLines.parser();
    const sink = { event: () => undefined };
    parser.feed(piece, sink);
    expect(() => parser.feed(Buffer.concat([piece, Buffer.from(end)]), sink)).toThrow(/A line of the answer has more than 10485760 bytes/);
  });
});
