import fc from 'fast-check';
import { samples } from '../../common/testing/long-form.js';
import { asByteText, concatBytes, textOf, type ByteText } from '../../wire/byte-text.js';
import type { Delta } from '../../wire/chat-completion.js';
import type { GenerationChunk } from '../../wire/generation.js';
import { TextJoiner } from './text-joiner.js';
import type { JsonObject } from '../../wire/json-object.js';
import { EventTemplate } from './event-template.js';

const piece = (delta: Delta, index = 0, tokens?: number): GenerationChunk => ({
  choices: [{ index, delta, finish_reason: null }],
  ...(tokens !== undefined && { tokens }),
});

function joinTexts(chunks: readonly GenerationChunk[]): GenerationChunk[] {
  const joined: GenerationChunk[] = [];
  const joiner = new TextJoiner({ next: (chunk) => joined.push(chunk) });
  for (const chunk of chunks) joiner.next(chunk);
  joiner.flush();
  return joined;
}

/** Each piece by itself again. */
function apart(chunks: readonly GenerationChunk[]): unknown[] {
  return chunks.flatMap(({ choices, run }) => {
    if (!run) return choices.map(({ index, delta }) => ({ index, delta }));
    return run.literals.flatMap((literal) =>
      (JSON.parse(`{${textOf(concatBytes(run.head, literal, run.tail))}`) as GenerationChunk).choices.map(({ index, delta }) => ({
        index,
        delta,
      })),
    );
  });
}

describe('TextJoiner', () => {
  it('joins neighbours that are pieces of one text, and keeps every piece, its order and its tokens', () => {
    const text = fc.oneof(fc.string(), fc.string({ unit: 'binary' }), fc.constantFrom('"', '\\', '\n', '\ud83d', '🚦'));
    const delta = fc.oneof(
      text.map((content): Delta => ({ content })),
      text.map((content): Delta => ({ content })),
      text.map((reasoning_content): Delta => ({ reasoning_content })),
      text.map((content): Delta => ({ role: 'assistant', content })),
      fc.constant<Delta>({ tool_calls: [{ index: 0, function: { arguments: '{' } }] }),
    );
    const chunk = fc
      .tuple(delta, fc.constantFrom(0, 0, 0, 1), fc.constantFrom(undefined, undefined, undefined, undefined, 2))
      .map(([said, index, tokens]) => piece(said, index, tokens));
    let runs = 0;
    fc.assert(
      fc.property(fc.array(chunk, { minLength: 5, maxLength: 20 }), (chunks) => {
        const joined = joinTexts(chunks);
        expect(apart(joined)).toEqual(apart(chunks));
        const tokens = (all: readonly GenerationChunk[]) => all.reduce((sum, one) => sum + (one.tokens ?? 0), 0);
        expect(tokens(joined)).toBe(tokens(chunks));
        for (const { run, choices } of joined) {
          if (!run) continue;
          runs++;
          const whole = JSON.parse(`{${textOf(concatBytes(run.head, asByteText(run.literals.join('')), run.tail))}`) as GenerationChunk;
          expect(whole.choices).toEqual(choices);
        }
      }),
      { numRuns: samples(300) },
    );
    expect(runs).toBeGreaterThan(samples(20));
  });

  it('does not join what is counted in different ways, nor what tells of usage or the prompt', () => {
    const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
    const chunks = [
      piece({ content: 'a' }),
      piece({ content: 'b' }, 0, 1),
      { ...piece({ content: 'c' }, 0, 1), usage },
      { ...piece({ content: 'd' }, 0, 1), promptTokens: 3 },
      { choices: [] },
    ];
    expect(joinTexts(chunks)).toEqual(chunks);
  });

  it('keeps what the latest of them tell of service tier and usage', () => {
    const chunks = [
      { ...piece({ content: 'a' }), serviceTier: 'auto', usageSoFar: { prompt_tokens: 9, completion_tokens: 1 } },
      { ...piece({ content: 'b' }), serviceTier: 'flex' },
      { ...piece({ content: 'c' }), usageSoFar: { completion_tokens: 3 } },
      piece({ content: 'd' }),
    ];
    const told = { serviceTier: 'flex', usageSoFar: { prompt_tokens: 9, completion_tokens: 3 } };
    expect(joinTexts(chunks)).toMatchObject([{ choices: [{ delta: { content: 'abcd' } }], ...told }]);
    expect(joinTexts([...chunks.slice(2), piece({ content: 'e' }, 1)])).toMatchObject([{ usageSoFar: { completion_tokens: 3 } }, {}]);
  });

  it('gives what it holds when nothing more comes, and that once', () => {
    const seen: GenerationChunk[] = [];
    const joiner = new TextJoiner({ next: (chunk) => seen.push(chunk) });
    joiner.next(piece({ content: 'a' }));
    joiner.next(piece({ content: 'b' }));
    expect(seen).toEqual([]);
    joiner.flush();
    joiner.flush();
    expect(seen.map(({ choices: [choice] }) => choice!.delta)).toEqual([{ content: 'ab' }]);
  });
});

const hole = { kind: 'text', path: ['delta', 'text'] } as const;

const learn = (data: string, ...more: { kind: 'noise' | 'count'; path: string[] }[]): EventTemplate | undefined =>
  EventTemplate.learn('', data, JSON.parse(data) as JsonObject, [hole, ...more]);

const wire = (...payloads: string[]): ByteText => asByteText(payloads.map((payload) => `data: ${payload}\n\n`).join(''));

describe('EventTemplate', () => {
  it('takes events that differ in their text, their noise, their counts and their padding, and no other', () => {
    const event = (text: string, noise: string, count: number, spaces = ' ', more = ''): string =>
      `{"delta":{"text":"${text}"},"p":"${noise}","usage":{"n":${count}}${more}${spaces}}`;
    const template = learn(event('a', 'x', 1), { kind: 'noise', path: ['p'] }, { kind: 'count', path: ['usage', 'n'] })!;
    const good = wire(event('b', '', 2, ''), event('c \\"d\\"', 'xyz\\n', 30, '    '));
    expect(template.run(good, 0)).toEqual({ literals: ['b', 'c \\"d\\"'], text: 'bc "d"', counts: [30], end: good.length });
    for (const other of [
      event('d', 'x', 4, '', ',"more":1'),
      event('d', 'x\t', 4),
      event('', 'x', 4),
      event('d', 'x', 4).replace('4', '04'),
    ]) {
      expect(template.run(concatBytes(good, wire(other)), 0)).toEqual(expect.objectContaining({ end: good.length, counts: [30] }));
      expect(template.run(wire(other), 0)).toBeUndefined();
    }
  });

  it('learns an event without padding as it is', () => {
    const template = learn('{"delta":{"text":"a"}}')!;
    expect(template.run(wire('{"delta":{"text":"b"}}', '{"delta":{"text":"c"}}'), 0)?.text).toBe('bc');
    expect(template.run(wire('{"delta":{"text":"b"} }'), 0)).toBeUndefined();
  });

  it('takes events of almost 10 MB, but learns nothing from them', () => {
    const long = (text: string) => `{"delta":{"text":"${text}"}}`;
    const template = learn('{"delta":{"text":"a"}}')!;
    for (const text of ['x'.repeat(9_900_000), `${'x'.repeat(9_900_000)}\\n`]) {
      expect(learn(long(text))).toBeUndefined();
      expect(template.run(wire(long(text)), 0)?.literals[0]).toHaveLength(text.length);
    }
  });

  it('learns nothing from several lines, which the bytes of no stream repeat', () => {
    expect(learn('{"delta":{"text":"a"}}')).toBeDefined();
    expect(learn('{\n"delta":{"text":"a"}}')).toBeUndefined();
  });

  it.each([
    ['twice', '{"delta":{"text":"a"},"delta":{"text":"a"}}'],
    ['elsewhere before', '{"x":{"delta":{"text":"a"}},"delta":{"text":"a"}}'],
    ['deeper before', '{"delta":{"more":{"text":"a"},"text":"a"}}'],
  ])('learns nothing where what it finds is not the text: %s', (_name, data) => {
    expect(learn(data)).toBeUndefined();
  });
});
