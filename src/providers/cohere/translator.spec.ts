import type * as cohere from '../../../node_modules/cohere-ai/serialization/index.js';
import type { Cohere } from 'cohere-ai';
import type * as ours from './wire.js';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Delta } from '../../wire/chat-completion.js';
import type { GenerationChunk } from '../../wire/generation.js';
import type { JsonObject } from '../../wire/json-object.js';
import { ChatDecoder } from './decoder.js';
import { ChatTranslator } from './translator.js';
import { usageOf } from '../../wire/usage.js';
import { chargeInWords } from '../testing/recording-charge.js';
import { usageFrom } from './usage.js';

const fixture = (name: string): string => readFileSync(join(import.meta.dirname, '__fixtures__', name), 'utf8');
const eventsOf = (text: string) => Array.from(text.matchAll(/^data: (\{.*)$/gm), ([, data]) => JSON.parse(data!) as JsonObject);

function streamed(events: readonly JsonObject[]): GenerationChunk[] {
  const translator = new ChatTranslator([]);
  const chunks = events.map((event) => translator.event(event)).filter((chunk) => chunk !== undefined);
  return [...chunks, ...translator.end()];
}

const deltas = (chunks: readonly GenerationChunk[]): Delta[] => chunks.map(({ choices }) => choices[0]!.delta!);
const lists = (chunks: readonly GenerationChunk[], name: string) => deltas(chunks).flatMap((delta) => (delta[name] ?? []) as unknown[]);

describe('citations', () => {
  const { message } = JSON.parse(fixture('citations.json')) as { message: { citations: unknown[] } };
  const address = { url: 'https://ferries.example/aeroe', title: 'Ferries of Ærø' };
  const annotations = [
    { type: 'url_citation', url_citation: { start_index: 10, end_index: 23, ...address } },
    { type: 'url_citation', url_citation: { start_index: 44, end_index: 49, ...address } },
  ];

  it('are passed on as they are, those with an address as annotations too', () => {
    const chunks = streamed(eventsOf(fixture('citations.sse')));
    expect(lists(chunks, 'citations')).toEqual(message.citations);
    expect(lists(chunks, 'annotations')).toEqual(annotations);
  });

  it('are the same in an answer that is not streamed', () => {
    const whole = new ChatTranslator([]).whole(JSON.parse(fixture('citations.json')) as JsonObject);
    expect(lists([whole], 'citations')).toEqual(message.citations);
    expect(lists([whole], 'annotations')).toEqual(annotations);
  });

  const cite = (more: object) => ({ type: 'citation-start', index: 0, delta: { message: { citations: more } } });
  const source = { type: 'document', id: 'd', document: address };

  it.each([
    ['thoughts', { type: 'THINKING_CONTENT', start: 0, end: 2, sources: [source] }],
    ['a plan', { type: 'PLAN', start: 0, end: 2, sources: [source] }],
    ['a place that is not told', { type: 'TEXT_CONTENT', sources: [source] }],
    ['sources without an address', { start: 0, end: 2, sources: [{ type: 'document', id: 'd', document: { url: 'file:///etc' } }, null] }],
    ['no sources', { start: 0, end: 2, sources: null }],
  ])('of %s have no annotations', (_, citation) => {
    const [first] = deltas(streamed([cite(citation), ...eventsOf(fixture('length.sse')).slice(-1)]));
    expect(first).toEqual({ role: 'assistant', citations: [citation] });
  });

  it('have the place in the whole text, where there are several blocks of it', () => {
    const block = (index: number, text: string) => ({
      type: 'content-start',
      index,
      delta: { message: { content: { type: 'text', text } } },
    });
    const citation = { start: 1, end: 2, content_index: 1, sources: [source] };
    const chunks = streamed([block(0, 'One. '), block(1, 'Two.'), cite(citation), ...eventsOf(fixture('length.sse')).slice(-1)]);
    expect(lists(chunks, 'annotations')).toEqual([{ type: 'url_citation', url_citation: { start_index: 6, end_index: 7, ...address } }]);
  });
});

describe('the end', () => {
  const answer = (finish_reason: string, calls = 0) => ({
    message: {
      content: [{ type: 'text', text: 'x' }],
      tool_calls: Array.from({ length: calls }, () => ({ id: 'c', function: { name: 'f' } })),
    },
    finish_reason,
  });
  const reason = (word: string, calls = 0) => new ChatTranslator([]).whole(answer(word, calls)).choices[0]!.finish_reason;

  it.each([
    ['COMPLETE', 0, 'stop'],
    ['STOP_SEQUENCE', 0, 'stop'],
    ['MAX_TOKENS', 0, 'length'],
    ['MAX_TOKENS', 1, 'length'],
    ['ERROR_LIMIT', 0, 'length'],
    ['ERROR_LIMIT', 1, 'length'],
    ['TOOL_CALL', 1, 'tool_calls'],
    ['TOOL_CALL', 0, 'stop'],
    ['COMPLETE', 1, 'tool_calls'],
    ['A_LATER_WORD', 0, 'stop'],
    ['constructor', 0, 'stop'],
  ])('%s with %d calls is %s', (word, calls, expected) => expect(reason(word, calls)).toBe(expected));

  it.each([
    ['ERROR', 'overloaded'],
    ['ERROR_OF_A_LATER_KIND', 'overloaded'],
    ['USER_CANCEL', 'overloaded'],
    ['ERROR_TOXIC', 'content_filtered'],
    ['TIMEOUT', 'timeout'],
  ])('%s is the failure %s', (word, kind) => expect(() => reason(word)).toThrow(expect.objectContaining({ kind })));

  it.each([
    { error: 'your request resulted in an invalid tool generation. Try updating the messages or tool definitions' },
    { error: 'No.', error_type: 'INVALID_TOOL_GENERATION' },
    { error: { message: 'No.', error_type: 'INVALID_TOOL_GENERATION' } },
    { error_type: 'HALLUCINATED_ALL_TOOL_CALLS' },
    { error: { message: 'No.', error_type: 'HALLUCINATED_ALL_TOOL_CALLS' } },
  ])('%j is a failure of the calls that the model wrote, in each form of the answer', (said) => {
    const failed = expect.objectContaining({ kind: 'invalid_request' }) as Error;
    const delta = { finish_reason: 'ERROR', ...said };
    const decoder = () => new ChatDecoder([]);
    expect(() => decoder().event('', JSON.stringify({ type: 'message-end', delta }))).toThrow(failed);
    expect(() => decoder().whole({ message: {}, ...delta })).toThrow(failed);
    expect(decoder().refused({ status: 422, body: JSON.stringify({ message: 'No.', ...said }), secrets: [] })).toEqual(failed);
  });

  it('is told with the words of the vendor, without our key', () => {
    const event = { type: 'message-end', delta: { finish_reason: 'ERROR', error: 'no room for co-secret-key-1234567890' } };
    expect(() => new ChatTranslator(['co-secret-key-1234567890']).event(event)).toThrow(/^no room for (?!co-secret)/);
  });
});

describe('limits', () => {
  it('are those of tool calls, citations and blocks', () => {
    const call = { id: 'c', function: { name: 'f' } };
    const whole = (message: object) => () => new ChatTranslator([]).whole({ message, finish_reason: 'COMPLETE' });
    const limit = expect.objectContaining({ kind: 'limit_exceeded' }) as Error;
    expect(whole({ tool_calls: Array.from({ length: 1_025 }, () => call) })).toThrow(limit);
    expect(whole({ citations: Array.from({ length: 10_001 }, () => ({})) })).toThrow(limit);
    expect(whole({ content: Array.from({ length: 10_001 }, () => ({ type: 'text', text: '' })) })).toThrow(limit);
    expect(() => new ChatTranslator([]).event({ type: 'content-start', index: 2 ** 40 })).toThrow(limit);
  });

  it.each([0.5, -1, '1', '__proto__', {}])('are held by a stream that gives a block the place %j', (index) => {
    const event = { type: 'content-start', index: index as number };
    expect(() => new ChatTranslator([]).event(event)).toThrow(expect.objectContaining({ kind: 'bad_response' }));
  });
});

const counts = (input_tokens: unknown, output_tokens: unknown) => ({ input_tokens, output_tokens });

describe('the usage', () => {
  it('is what Cohere bills, and not what the model reads', () => {
    expect(usageFrom({ billed_units: counts(5, 10), tokens: counts(607, 13) })).toEqual(usageOf(5, 10));
    expect(usageFrom({ billed_units: counts(0, 10), tokens: counts(607, 13) })).toEqual(usageOf(0, 10));
    expect(usageFrom({ billed_units: counts(4.0, 9.5) })).toEqual(usageOf(4, 10));
  });

  it('is what the model reads and writes where nothing is billed', () => {
    expect(usageFrom({ tokens: counts(607, 13) })).toEqual(usageOf(607, 13));
    expect(usageFrom({ billed_units: counts(undefined, 7), tokens: counts(607, 13) })).toEqual(usageOf(607, 7));
  });

  it.each([
    ['none of the billed tokens', 37, 1_435, 992, undefined],
    ['none where exactly the unbilled ones are', 37, 1_435, 1_398, undefined],
    ['those beyond the unbilled ones', 400, 1_000, 960, 360],
    ['all of them', 400, 1_000, 1_000, 400],
    ['no more than are billed', 400, 1_000, 5_000, 400],
    ['all that is told where nothing is unbilled', 600, 600, 480, 480],
  ])('takes for cached %s', (_, billed, read, cached_tokens, cached) => {
    const usage = usageFrom({ billed_units: counts(billed, 1), tokens: counts(read, 1), cached_tokens });
    expect(usage?.prompt_tokens_details).toEqual(cached === undefined ? undefined : { cached_tokens: cached });
    expect(usage?.prompt_tokens).toBe(billed);
  });

  // At 2, 11 and 0.3 dollars for a million tokens: 40 x 2 + 360 x 0.3 + 20 x 11 = 408.
  it('is charged by its disjoint parts', () => {
    const usage = usageFrom({ billed_units: counts(400, 20), tokens: counts(1_000, 50), cached_tokens: 960 });
    expect(chargeInWords(usage)).toBe('40 prompt, 20 completion, 360 cached_input, 0.000408');
  });

  it.each([
    undefined,
    null,
    'x',
    {},
    { tokens: null },
    { tokens: counts(1, undefined) },
    { tokens: counts('1', 2) },
    { tokens: counts(-1, 2) },
  ])('is none where it is %j', (told) => expect(usageFrom(told)).toBeUndefined());
});

/** Fails to compile where `A` is not a `B`. */
type Is<A extends B, B> = A;

/** Passed on as the client wrote them. */
type Passed = 'documents' | 'citation_options' | 'safety_mode' | 'k' | 'priority';

/** What we send, Cohere's own client may send. */
type Sent = [
  Is<Omit<ours.ChatBody, Passed | 'stream'>, cohere.V2ChatRequest.Raw>,
  Is<Exclude<keyof ours.ChatBody, 'stream'>, keyof cohere.V2ChatRequest.Raw>,
  Is<ours.ChatMessage, cohere.ChatMessageV2.Raw>,
  Is<keyof ours.AssistantTurn, keyof cohere.ChatMessageV2.Assistant>,
  Is<ours.ThinkingSetting, cohere.Thinking.Raw>,
  Is<keyof ours.ThinkingSetting, keyof cohere.Thinking.Raw>,
  Is<ours.ChatTool, cohere.ToolV2.Raw>,
  Is<ours.ImageDetail, Cohere.ImageUrlDetail>,
];

/** What Cohere's own client reads, we read. */
type Read = [
  Is<Exclude<cohere.V2ChatStreamResponse.Raw, cohere.V2ChatStreamResponse.Debug>, ours.ChatEvent>,
  Is<cohere.V2ChatResponse.Raw, ours.ChatResponse>,
  Is<cohere.Usage.Raw, ours.ChatUsage>,
  Is<keyof ours.ChatUsage, keyof cohere.Usage.Raw>,
  Is<keyof ours.TokenCounts, keyof cohere.UsageBilledUnits.Raw & keyof cohere.UsageTokens.Raw>,
  Is<cohere.Citation.Raw, ours.Citation>,
  Is<keyof ours.Citation, keyof cohere.Citation.Raw>,
  Is<keyof ours.CitedSource, keyof cohere.Source.Document | keyof cohere.Source.Tool>,
  Is<keyof ours.ResponseCall, keyof cohere.ToolCallV2.Raw>,
  Is<keyof ours.ChatResponse, keyof cohere.V2ChatResponse.Raw>,
  Is<keyof NonNullable<ours.ChatResponse['message']>, keyof cohere.AssistantMessageResponse.Raw>,
];

it('the wire types are those of Cohere’s own client, which the compiler checks', () => {
  const checked: [Sent, Read] | undefined = undefined;
  expect(checked).toBeUndefined();
});
