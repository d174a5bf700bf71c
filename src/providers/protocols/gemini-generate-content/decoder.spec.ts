import fc from 'fast-check';
import { samples } from '../../../common/testing/long-form.js';
import type { ChatGenerationRequest, GenerationChunk } from '../../../wire/generation.js';
import { collect, eventsOf } from '../../testing/collect.js';
import { EventStreamParser } from '../../transport/event-stream-parser.js';
import { GenerateContentDecoder } from './decoder.js';
import type { GenerateContentResponse } from './wire.js';

const request: ChatGenerationRequest = { operation: 'chat', model: 'm', stream: true, n: 2, messages: [] };

/** With templates, or each event parsed. */
function read(body: string, fast: boolean): GenerationChunk[] {
  const answer = new GenerateContentDecoder(request, '01890a5d-ac96-774b-bcce-b302099a8057', []);
  const chunks: GenerationChunk[] = [];
  const observer = { next: (chunk: GenerationChunk) => chunks.push(chunk) };
  const parser = new EventStreamParser();
  const event = (name: string, data: string): void => {
    const chunk = answer.event(name, data);
    if (chunk) chunks.push(chunk);
  };
  parser.feed(Buffer.from(body), fast ? { event, run: (bytes, position) => answer.run(bytes, position, observer) } : { event });
  return [...chunks, ...answer.end()];
}

const runsOf = (chunks: readonly GenerationChunk[]): number[] => chunks.flatMap(({ run }) => run?.literals.length ?? []);

const text = fc.oneof(
  fc.string(),
  fc.string({ unit: 'binary' }),
  fc.constantFrom('', '"', '\\', '\n', '{"text": "x"}', '"usageMetadata"', '\u2028', '\ud83d', 'é'),
);
const rarely = <T>(arbitrary: fc.Arbitrary<T>) => fc.oneof({ weight: 12, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary });

const habit = fc.record({
  usage: fc.constantFrom('none', 'prompt', 'plain', 'detailed'),
  thought: fc.boolean(),
  index: fc.boolean(),
  spaced: fc.boolean(),
  lineEnd: fc.constantFrom('\n', '\r\n'),
  /** Members twice, as no serialiser writes them: the last one counts. */
  twice: fc.constantFrom(
    '',
    '',
    '',
    ',"usageMetadata":{"candidatesTokenCount":1}',
    ',"candidates":[{"content":{"parts":[{"text":"again"}]}}]',
  ),
});

const piece = fc.record({
  said: text,
  tokens: fc.nat({ max: 300 }),
  more: rarely(text),
  thought: rarely(fc.boolean()),
  index: rarely(fc.constantFrom(0, 1, 2)),
  finishReason: rarely(fc.constantFrom('STOP', 'FINISH_REASON_UNSPECIFIED')),
  signature: rarely(fc.constant('S')),
  thoughts: rarely(fc.nat()),
  call: rarely(fc.constant({ name: 'f', args: { text: 'x' } })),
});

const stream = fc.tuple(habit, fc.array(piece, { minLength: 1, maxLength: 30 })).map(([vendor, pieces]) => {
  let candidatesTokenCount = 0;
  const usage = (thoughtsTokenCount?: number): object => ({
    promptTokenCount: 7,
    ...(vendor.usage !== 'prompt' && { candidatesTokenCount, totalTokenCount: candidatesTokenCount + 7, thoughtsTokenCount }),
    promptTokensDetails: [{ modality: 'TEXT', tokenCount: 7 }],
    ...(vendor.usage === 'detailed' && { candidatesTokensDetails: [{ modality: 'TEXT', tokenCount: candidatesTokenCount }] }),
  });
  const events = pieces.map(({ said, tokens, more, thought = vendor.thought, index, finishReason, signature, thoughts, call }) => {
    candidatesTokenCount += tokens;
    const parts: object[] = [{ text: said, ...(thought && { thought }), thoughtSignature: signature }];
    if (more !== undefined) parts.push({ text: more });
    if (call) parts.push({ functionCall: call });
    const place = index ?? (vendor.index ? 0 : undefined);
    const event = { candidates: [{ content: { parts, role: 'model' }, finishReason, index: place }], responseId: 'text' };
    return vendor.usage === 'none' ? event : { ...event, usageMetadata: usage(thoughts), modelVersion: 'gemini' };
  });
  const ending = { candidates: [0, 1].map((index) => ({ index, finishReason: 'STOP' })), usageMetadata: usage(3) };
  const encode = (event: object): string => {
    const json = JSON.stringify(event).slice(0, -1) + vendor.twice + '}';
    return vendor.spaced ? json.replaceAll('":', '": ') : json;
  };
  return [...events.map(encode), JSON.stringify(ending)].map((data) => `data: ${data}${vendor.lineEnd}${vendor.lineEnd}`).join('');
});

const event = (said: string, tokens: number, rest: Partial<GenerateContentResponse> = {}): string => {
  const usageMetadata = { promptTokenCount: 5, candidatesTokenCount: tokens, totalTokenCount: tokens + 5 };
  return `data: ${JSON.stringify({ candidates: [{ content: { parts: [{ text: said }] } }], usageMetadata, ...rest })}\r\n\r\n`;
};
const ending = event('', 9, { candidates: [0, 1].map((index) => ({ index, finishReason: 'STOP' })) });

describe('GenerateContentDecoder', () => {
  it('gives by template what parsing gives, for any stream', () => {
    let taken = 0;
    fc.assert(
      fc.property(stream, (body) => {
        const fast = read(body, true);
        expect(eventsOf(fast)).toEqual(eventsOf(read(body, false)));
        taken += runsOf(fast).length;
        expect(() => collect(fast)).not.toThrow();
      }),
      { numRuns: samples(1_000) },
    );
    expect(taken).toBeGreaterThan(samples(400));
  });

  it('takes the events of one read together, whatever their text and counts', () => {
    const said = ['One', ' two', ' "three"', ' föur', '\n', ' 🌆'];
    const body = said.map((one, i) => event(one, i * 9)).join('') + ending;
    const chunks = read(body, true);
    expect(runsOf(chunks)).toEqual([4]);
    expect(chunks[2]).toMatchObject({ choices: [{ delta: { content: ' "three" föur\n 🌆' } }], tokens: 36 });
    expect(collect(chunks).choices[0]!.text).toBe(said.join(''));
  });

  it('takes the events of Vertex AI together, which counts by modality too', () => {
    const vertex = (said: string, tokens: number): string => {
      const candidatesTokensDetails = [{ modality: 'TEXT', tokenCount: tokens }];
      return event(said, tokens, { usageMetadata: { promptTokenCount: 5, candidatesTokensDetails, candidatesTokenCount: tokens } });
    };
    const chunks = read(['a', 'b', 'c', 'd'].map((said, i) => vertex(said, i)).join('') + ending, true);
    expect(runsOf(chunks)).toEqual([2]);
    expect(chunks[2]).toMatchObject({ choices: [{ delta: { content: 'cd' } }], tokens: 2 });
  });

  it.each(['04', '4.5', '4e1', '-4', '', '12345678901234567890'])('leaves a count of %s to the parser', (count) => {
    const body = event('x', 1) + event('y', 2) + event('z', 777).replace(':777', `:${count}`) + ending;
    const outcome = (fast: boolean): unknown => {
      try {
        return eventsOf(read(body, fast));
      } catch (error) {
        return (error as { kind?: unknown }).kind;
      }
    };
    expect(outcome(true)).toEqual(outcome(false));
  });
});
