import fc from 'fast-check';
import { samples } from '../../../common/testing/long-form.js';
import { asByteText, byteText, concatBytes, textOf } from '../../../wire/byte-text.js';
import type { GenerationChunk, GenerationRequest } from '../../../wire/generation.js';
import type { JsonObject } from '../../../wire/json-object.js';
import { EventStreamParser } from '../../transport/event-stream-parser.js';
import { ChatCompletionsDecoder } from './decoder.js';

const chat: GenerationRequest = { operation: 'chat', model: 'm', stream: true, n: 2, messages: [] };
const completion: GenerationRequest = { operation: 'completion', model: 'm', stream: true, n: 2, prompt: '' };

/** Both choices, that is, all that was asked for. */
const ending = JSON.stringify({ choices: [0, 1].map((index) => ({ index, delta: {}, text: '', finish_reason: 'stop' })) });

/**
 * With templates, and without: an edit that changes nothing takes every event through parsing. The end tells what was
 * kept to itself.
 */
function read(request: GenerationRequest, payloads: readonly string[], fast: boolean): (GenerationChunk | undefined)[] {
  const decoder = new ChatCompletionsDecoder(request, [], fast ? undefined : (event: JsonObject) => event);
  return [...[...payloads, ending, '[DONE]'].map((payload) => decoder.event('', payload)), ...decoder.end()];
}

const withoutRuns = (chunks: (GenerationChunk | undefined)[]) => chunks.map((chunk) => chunk && { ...chunk, run: undefined });

const runCount = (chunks: (GenerationChunk | undefined)[]) => chunks.filter((chunk) => chunk?.run).length;

/** JSON texts of one value: escapes as vendors write them, and as they could. */
function encode(value: unknown, style: number): string {
  const text = JSON.stringify(value);
  if (style === 1) return text.replace(/[\u0080-\uffff]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
  if (style === 2) return text.replaceAll('/', '\\/');
  return style === 3 ? JSON.stringify(value, null, 1) : text;
}

const text = fc.oneof(
  fc.string(),
  fc.string({ unit: 'binary' }),
  fc.constantFrom('', '"', '\\', '\n', '{"content":"x"}', ' "choices":[', '[DONE]', '</s>', '\u2028', '\ud83d'),
);

/** What vendors put into a delta beside, or around, one piece of text. */
const deltas: readonly ((piece: string, other: string) => JsonObject)[] = [
  (content) => ({ content }),
  (content) => ({ role: 'assistant', content, reasoning: null }),
  (content, reasoning) => ({ reasoning, content }),
  (reasoning) => ({ reasoning }),
  (reasoning_content, reasoning) => ({ reasoning, reasoning_content }),
  (reasoning_content) => ({ content: '', reasoning_content }),
  (refusal) => ({ refusal }),
  (value) => ({ tool_calls: [{ index: 0, id: 'a', function: { name: 'f', arguments: value } }] }),
  () => ({ content: null }),
];

const tails: readonly ((noise: string) => JsonObject)[] = [
  (obfuscation) => ({ obfuscation }),
  () => ({}),
  (obfuscation) => ({ obfuscation, usage: { prompt_tokens: 1, completion_tokens: 2 } }),
  () => ({ usage: { prompt_tokens: 3, completion_tokens: 4 } }),
];

/** One vendor's habit, which a stream keeps for most of its events. */
const habit = fc.record({
  head: fc.constantFrom<JsonObject>({}, { id: 'x', created: 1 }, { usage: null }, { id: '"choices":[{"delta":{"content":"y"' }),
  before: fc.constantFrom<JsonObject>({}, {}, { filter: { content: 'safe' } }, { content: 'a decoy' }),
  finish: fc.constantFrom({}, { finish_reason: null }, { logprobs: null, finish_reason: null }),
  delta: fc.nat({ max: deltas.length - 1 }),
  tail: fc.nat({ max: 1 }),
  style: fc.nat({ max: 3 }),
  /** Members twice, as no serialiser writes them: the last one counts. */
  twice: fc.constantFrom('', '', '', ',"choices":[]', ',"choices":[{"index":0,"delta":{"content":"again"}}]', ',"obfuscation":"again"'),
});

const rarely = <T>(arbitrary: fc.Arbitrary<T>) => fc.oneof({ weight: 5, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary });

const chatEvent = fc.record({
  piece: text,
  other: fc.constantFrom('same', 'same', 'same', '', 'else'),
  noise: text,
  index: fc.constantFrom(0, 0, 0, 1),
  delta: rarely(fc.nat({ max: deltas.length - 1 })),
  tail: rarely(fc.nat({ max: tails.length - 1 })),
  finish: rarely(fc.constant({ finish_reason: 'stop' })),
});

const chatStream = fc.tuple(habit, fc.array(chatEvent, { minLength: 1, maxLength: 30 })).map(([vendor, events]) =>
  events.map(({ piece, other, noise, index, delta, tail, finish }) => {
    const told = deltas[delta ?? vendor.delta]?.(piece, other);
    const choices = [{ index, ...vendor.before, delta: told, ...(finish ?? vendor.finish) }];
    const payload = encode({ ...vendor.head, choices, ...tails[tail ?? vendor.tail]?.(noise) }, vendor.style);
    return payload.replace(/\s*}$/, () => `${vendor.twice}}`);
  }),
);

const completionPayload = fc
  .tuple(
    text,
    fc.nat({ max: 3 }),
    fc.constantFrom(null, 'stop'),
    fc.constantFrom(null, { tokens: ['a'], token_logprobs: [-1] }),
    fc.nat({ max: 3 }),
  )
  .map(([value, index, finish_reason, logprobs, style]) =>
    encode({ id: 'x', choices: [{ text: value, index, logprobs, finish_reason }] }, style),
  );

/** Choice by choice, what the chunks say of each field: text joined, whatever the pieces. */
function saidBy(chunks: readonly GenerationChunk[]): unknown {
  const said: Record<string, string> = {};
  for (const { choices } of chunks) {
    for (const { index, delta, finish_reason } of choices) {
      for (const [field, value] of Object.entries(delta ?? {})) {
        const piece = typeof value === 'string' ? value : JSON.stringify(value);
        said[`${index} ${field}`] = (said[`${index} ${field}`] ?? '') + piece;
      }
      if (finish_reason) said[`${index} end`] = finish_reason;
    }
  }
  return said;
}

function readApart(payloads: readonly string[]): GenerationChunk[] {
  const decoder = new ChatCompletionsDecoder(chat, []);
  return [...[...payloads, '[DONE]'].map((payload) => decoder.event('', payload)), ...decoder.end()].filter((chunk) => chunk !== undefined);
}

function readTogether(payloads: readonly string[], lineEnd: string): { texts: unknown; runs: number } {
  const decoder = new ChatCompletionsDecoder(chat, []);
  const chunks: GenerationChunk[] = [];
  const parser = new EventStreamParser();
  const body = payloads.map((payload) => `data: ${payload.replaceAll('\n', '')}${lineEnd}${lineEnd}`).join('');
  parser.feed(Buffer.from(body), {
    event(_, data) {
      const chunk = decoder.event('', data);
      if (chunk) chunks.push(chunk);
    },
    run: (lines, position) => decoder.run(lines, position, { next: (chunk) => chunks.push(chunk) }),
  });
  decoder.event('', '[DONE]');
  chunks.push(...decoder.end());
  for (const { run, choices } of chunks) {
    if (!run) continue;
    const pieces = run.literals.map(
      (literal) => (JSON.parse(`{${textOf(concatBytes(run.head, literal, run.tail))}`) as GenerationChunk).choices,
    );
    expect(saidBy(pieces.map((piece) => ({ choices: piece })))).toEqual(saidBy([{ choices }]));
  }
  return { texts: saidBy(chunks), runs: chunks.filter(({ run }) => run).length };
}

describe('ChatCompletionsDecoder', () => {
  it('gives by template what parsing gives, for any stream of chat events', () => {
    fc.assert(
      fc.property(chatStream, (payloads) => {
        const fast = read(chat, payloads, true);
        expect(withoutRuns(fast)).toEqual(withoutRuns(read(chat, payloads, false)));
      }),
      { numRuns: samples(500) },
    );
  });

  it('gives by template what parsing gives, for any stream of completion events', () => {
    fc.assert(
      fc.property(fc.array(completionPayload, { minLength: 1, maxLength: 30 }), (payloads) => {
        const fast = read(completion, payloads, true);
        expect(withoutRuns(fast)).toEqual(withoutRuns(read(completion, payloads, false)));
      }),
      { numRuns: samples(500) },
    );
  });

  it('says the same in a run of one as in choices', () => {
    let runs = 0;
    fc.assert(
      fc.property(fc.array(text, { minLength: 5, maxLength: 20 }), fc.nat({ max: 3 }), (texts, style) => {
        const payloads = texts.map((content) =>
          encode({ id: 'x', choices: [{ index: 0, delta: { content }, finish_reason: null }] }, style),
        );
        for (const chunk of read(chat, payloads, true)) {
          if (!chunk?.run) continue;
          runs++;
          const { head, literals, tail } = chunk.run;
          expect(literals).toHaveLength(1);
          expect(JSON.parse(`{${textOf(concatBytes(head, literals[0]!, tail))}`)).toEqual({ choices: chunk.choices });
        }
      }),
    );
    expect(runs).toBeGreaterThan(samples(150));
  });

  it('gives for the events of one read, however many are taken together, what each alone gives', () => {
    let runs = 0;
    const padded = fc
      .tuple(text, fc.string())
      .map(([content, obfuscation]) => ({ choices: [{ index: 0, delta: { content } }], obfuscation }));
    const plain = text.map((content) => ({ id: 'x', choices: [{ index: 0, delta: { content }, finish_reason: null }] }));
    const other = text.map((content) => ({ id: 'y', choices: [{ index: 1, delta: { content, reasoning: content } }] }));
    const same = (event: fc.Arbitrary<JsonObject>) => fc.array(event, { maxLength: 8 });
    const stream = fc.tuple(fc.array(fc.oneof(same(padded), same(plain), same(other)), { maxLength: 6 }), fc.nat({ max: 2 }));
    fc.assert(
      fc.property(
        fc.oneof(
          chatStream,
          stream.map(([events, style]) => events.flat().map((event) => encode(event, style))),
        ),
        fc.constantFrom('\n', '\r\n'),
        (payloads, lineEnd) => {
          const together = readTogether([...payloads, ending], lineEnd);
          runs += together.runs;
          expect(together.texts).toEqual(saidBy(readApart([...payloads, ending])));
        },
      ),
      { numRuns: samples(500) },
    );
    expect(runs).toBeGreaterThan(samples(100));
  });

  it.each([
    [
      'OpenAI, padded',
      (content: string, i: number) => ({
        id: 'x',
        choices: [{ index: 0, delta: { content }, logprobs: null, finish_reason: null }],
        usage: null,
        obfuscation: 'q'.repeat(i),
      }),
    ],
    [
      'Mistral, padded',
      (content: string, i: number) => ({ id: 'x', choices: [{ index: 0, delta: { content }, finish_reason: null }], p: 'abc'.repeat(i) }),
    ],
    [
      'OpenRouter, the role in each',
      (content: string) => ({
        id: 'x',
        choices: [{ index: 0, delta: { role: 'assistant', content, reasoning: null }, finish_reason: null }],
      }),
    ],
    [
      'DeepSeek, reasoning',
      (reasoning_content: string) => ({
        id: 'x',
        choices: [{ index: 0, delta: { content: null, reasoning_content }, finish_reason: null }],
        usage: null,
      }),
    ],
    ['two choices in turn', (content: string, i: number) => ({ id: 'x', choices: [{ index: i % 2, delta: { content } }] })],
  ])('reads nearly all events of %s without parsing', (_name, event) => {
    const payloads = Array.from({ length: 100 }, (_, i) => JSON.stringify(event(`piece ${i}`, i)));
    expect(runCount(read(chat, payloads, true))).toBeGreaterThanOrEqual(96);
  });

  it('gives up learning where events differ in more than their text, and still reads them', () => {
    const payloads = Array.from({ length: 100 }, (_, i) =>
      JSON.stringify({ created: i, choices: [{ index: 0, delta: { content: 'x' } }] }),
    );
    const chunks = read(chat, payloads, true);
    expect(runCount(chunks)).toBe(0);
    expect(chunks.slice(0, 100).every((chunk) => chunk?.choices[0]?.delta?.content === 'x')).toBe(true);
  });

  it.each([
    ['a control character', '{"choices":[{"index":0,"delta":{"content":"a\nb"}}]}'],
    ['an escape that JSON does not know', '{"choices":[{"index":0,"delta":{"content":"a\\x"}}]}'],
    ['half an escape', '{"choices":[{"index":0,"delta":{"content":"a\\u12"}}]}'],
    ['an early end', '{"choices":[{"index":0,"delta":{"content":"a"}}]'],
    ['more behind the end', '{"choices":[{"index":0,"delta":{"content":"a"}}]}}'],
  ])('refuses %s, also where a template is near', (_name, payload) => {
    const good = ['x', 'y', 'z'].map((content) => JSON.stringify({ choices: [{ index: 0, delta: { content } }] }));
    expect(() => read(chat, [...good, payload], true)).toThrow(expect.objectContaining({ kind: 'bad_response', cause: undefined }));
  });

  it.each([
    ['a control character', 'a\tb'],
    ['a line end', 'a\nb'],
    ['an escape that JSON does not know', 'a\\x'],
    ['a quotation mark', 'a"b'],
    ['no end', 'a\\'],
  ])('takes nothing with %s in its text among the events of one read', (_name, literal) => {
    const payload = (inside: string): string => `{"choices":[{"index":0,"delta":{"content":"${inside}"}}]}`;
    const decoder = new ChatCompletionsDecoder(chat, []);
    for (const good of ['x', 'y']) decoder.event('', payload(good));
    const taken: GenerationChunk[] = [];
    for (const others of [[], ['z'], ['z', '\\"']]) {
      const bytes = asByteText([...others, literal, 'z'].map((inside) => `data: ${payload(inside)}\n\n`).join(''));
      const end = decoder.run(bytes, 0, { next: (chunk) => taken.push(chunk) });
      expect(bytes.slice(end)).toContain(literal);
    }
    expect(taken.flatMap(({ run }) => run!.literals)).not.toContain(literal);
  });

  it('says what its bytes say, whatever the alphabet', () => {
    const payload = (content: string): string => JSON.stringify({ id: 'é', choices: [{ index: 0, delta: { content } }] });
    const decoder = new ChatCompletionsDecoder(chat, []);
    for (const good of ['ж', '字']) decoder.event('', payload(good));
    const taken: GenerationChunk[] = [];
    const bytes = byteText(['слово', '\n', '字', '🚦'].map((content) => `data: ${payload(content)}\n\n`).join(''));
    expect(decoder.run(bytes, 0, { next: (chunk) => taken.push(chunk) })).toBe(bytes.length);
    expect(taken.map(({ choices: [choice] }) => choice!.delta)).toEqual([{ content: 'слово\n字🚦' }]);
    expect(taken[0]!.run!.literals.map(textOf)).toEqual(['слово', '\\n', '字', '🚦']);
  });
});
