import fc from 'fast-check';
import { samples } from '../../../common/testing/long-form.js';
import type { GenerationChunk } from '../../../wire/generation.js';
import { collect, eventsOf } from '../../testing/collect.js';
import { EventStreamParser } from '../../transport/event-stream-parser.js';
import { MessagesDecoder } from './decoder.js';
import { JSON_TOOL } from './output-format.js';
import { messagesError, inBandMessagesError } from './error.js';
import type { Message } from '../../../wire/chat-completion.js';
import { placedBlocks } from '../../translation/signed-thinking.js';

/** With templates, or each event parsed. */
function read(body: string, fast: boolean): GenerationChunk[] {
  const answer = new MessagesDecoder(true, []);
  const chunks: GenerationChunk[] = [];
  const observer = { next: (chunk: GenerationChunk) => chunks.push(chunk) };
  const event = (name: string, data: string): void => {
    const chunk = answer.event(name, data);
    if (chunk) chunks.push(chunk);
  };
  new EventStreamParser().feed(
    Buffer.from(body),
    fast ? { event, run: (bytes, position) => answer.run(bytes, position, observer) } : { event },
  );
  return [...chunks, ...answer.end()];
}

const outcome = (body: string, fast: boolean): unknown => {
  try {
    return eventsOf(read(body, fast));
  } catch (error) {
    return (error as { kind?: unknown }).kind;
  }
};

const runsOf = (chunks: readonly GenerationChunk[]): number[] => chunks.flatMap(({ run }) => run?.literals.length ?? []);

const framed = (event: { type: string }, named = true, padding = '', lineEnd = '\n', more = ''): string => {
  const data = `data: ${JSON.stringify(event).slice(0, -1)}${more}${padding}}`;
  return `${named ? `event: ${event.type}${lineEnd}` : ''}${data}${lineEnd}${lineEnd}`;
};
const start = (index: number, content_block: object) => ({ type: 'content_block_start', index, content_block });
const stop = (index: number) => ({ type: 'content_block_stop', index });
const delta = (index: number, type: string, field: string, said: string) => ({
  type: 'content_block_delta',
  index,
  delta: { type, [field]: said },
});
const isDelta = ({ type }: { type: string }) => type === 'content_block_delta';
const begin = { type: 'message_start', message: { usage: { input_tokens: 5, output_tokens: 1 } } };
const end = [{ type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 9 } }, { type: 'message_stop' }];

const text = fc.oneof(
  fc.string(),
  fc.string({ unit: 'binary' }),
  fc.constantFrom('', '"', '\\', '\n', '{"text":"x"}', '"delta"', '\u2028', '\ud83d', 'é'),
);

const kinds = [
  { block: { type: 'text', text: '' }, type: 'text_delta', field: 'text' },
  { block: { type: 'thinking', thinking: '' }, type: 'thinking_delta', field: 'thinking' },
  { block: { type: 'tool_use', id: 'a', name: 'f', input: {} }, type: 'input_json_delta', field: 'partial_json' },
  { block: { type: 'tool_use', id: 'b', name: JSON_TOOL, input: {} }, type: 'input_json_delta', field: 'partial_json' },
] as const;

const block = fc.record({
  kind: fc.constantFrom(...kinds),
  pieces: fc.array(text, { maxLength: 12 }),
  /** As no server should send them. */
  stray: fc.option(fc.record({ kind: fc.constantFrom(...kinds), at: fc.nat({ max: 3 }), said: text }), { freq: 3 }),
  ended: fc.constantFrom(true, true, true, false),
});

const stream = fc
  .record({
    blocks: fc.array(block, { maxLength: 6 }),
    named: fc.boolean(),
    lineEnd: fc.constantFrom('\n', '\r\n'),
    paddings: fc.array(fc.constantFrom('', ' ', '      '), { minLength: 1 }),
    sameIndex: fc.boolean(),
    /** Members twice, as no serialiser writes them: the last one counts. */
    twice: fc.constantFrom('', '', '', ',"delta":{"type":"text_delta","text":"again"}', ',"index":0'),
  })
  .map(({ blocks, named, lineEnd, paddings, sameIndex, twice }) => {
    const events = blocks.flatMap(({ kind, pieces, stray, ended }, i) => {
      const index = sameIndex ? 0 : i;
      const said = pieces.map((piece) => delta(index, kind.type, kind.field, piece));
      const late = stray ? [delta(stray.at, stray.kind.type, stray.kind.field, stray.said), { type: 'ping' }] : [];
      return [start(index, kind.block), ...said, ...(ended ? [stop(index)] : []), ...late];
    });
    return [begin, ...events, ...end]
      .map((event, i) => framed(event, named, paddings[i % paddings.length], lineEnd, isDelta(event) ? twice : ''))
      .join('');
  });

describe('MessagesDecoder', () => {
  it('gives by template what parsing gives, for any stream', () => {
    let taken = 0;
    fc.assert(
      fc.property(stream, (body) => {
        expect(outcome(body, true)).toEqual(outcome(body, false));
        const chunks = read(body, true);
        expect(() => collect(chunks)).not.toThrow();
        taken += runsOf(chunks).length;
      }),
      { numRuns: samples(1_000) },
    );
    expect(taken).toBeGreaterThan(samples(400));
  });

  it('begins a part of the answer where the text of two blocks alternates', () => {
    const said = [0, 0, 0, 1, 1, 1, 0, 1].map((index) => delta(index, 'text_delta', 'text', 'Hi '));
    const body = [begin, start(0, kinds[0].block), start(1, kinds[0].block), ...said, ...end].map((event) => framed(event)).join('');
    expect(outcome(body, true)).toEqual(outcome(body, false));
  });

  it.each(kinds)('takes the pieces of a block of $block together', ({ block: content_block, type, field }) => {
    const said = ['{"a":', '"ö', '\\n', '🌆', '"}'];
    const events = [begin, start(0, content_block), ...said.map((piece) => delta(0, type, field, piece)), stop(0), ...end];
    const body = events.map((event, i) => framed(event, true, ' '.repeat(i))).join('');
    // All but what the template is learned from, and a first piece that carries the role.
    expect(runsOf(read(body, true))[0]).toBeGreaterThanOrEqual(3);
    expect(outcome(body, true)).toEqual(outcome(body, false));
  });

  it('gives nothing of a block that has ended', () => {
    const thought = (said: string) => delta(0, 'thinking_delta', 'thinking', said);
    const events = [
      begin,
      start(0, { type: 'thinking', thinking: '' }),
      ...['a', 'b', 'c'].map(thought),
      stop(0),
      thought('d'),
      thought('e'),
    ];
    const body = [...events, ...end].map((event) => framed(event)).join('');
    expect(collect(read(body, true)).choices[0]!.reasoning).toBe('abc');
  });
});

const body = (type: string, message: string) => JSON.stringify({ type: 'error', error: { type, message }, request_id: 'req_1' });
const failed = (status: number, type: string, message: string) =>
  messagesError({ status, retryAfterMs: 2_000, body: body(type, message), secrets: ['sk-ant-secret'] });

describe('messagesError', () => {
  it.each([
    [400, 'invalid_request_error', 'max_tokens: must be positive', 'invalid_request'],
    [400, 'invalid_request_error', 'prompt is too long: 214000 tokens > 200000 maximum', 'context_length_exceeded'],
    [400, 'invalid_request_error', 'input length and `max_tokens` exceed context limit: 1 + 2 > 2', 'context_length_exceeded'],
    [400, 'invalid_request_error', 'Output blocked by content filtering policy', 'content_filtered'],
    [400, 'invalid_request_error', 'Your credit balance is too low to access the Anthropic API.', 'insufficient_quota'],
    [400, 'invalid_request_error', 'You have reached your specified API usage limits.', 'insufficient_quota'],
    [400, 'invalid_request_error', 'This organization has been disabled.', 'authentication'],
    [400, 'invalid_request_error', 'tools.0.name: Your credit balance is too low', 'invalid_request'],
    [401, 'authentication_error', 'invalid x-api-key', 'authentication'],
    [402, 'billing_error', 'Payment failed', 'insufficient_quota'],
    [403, 'permission_error', 'Not allowed', 'authentication'],
    [404, 'not_found_error', 'model: claude-none', 'model_unavailable'],
    [413, 'request_too_large', 'Request exceeds the maximum size', 'request_too_large'],
    [429, 'rate_limit_error', 'Too fast', 'rate_limited'],
    [500, 'api_error', 'Internal server error', 'overloaded'],
    [529, 'overloaded_error', 'Overloaded', 'overloaded'],
  ])('names status %d %s "%s"', (status, type, message, kind) => {
    expect(failed(status, type, message)).toMatchObject({ kind, status, retryAfterMs: 2_000 });
    expect(inBandMessagesError(body(type, message), [])).toMatchObject({ kind, status });
  });

  it('keeps the vendor’s text where it concerns the client, and never a credential', () => {
    expect(failed(400, 'invalid_request_error', 'bad field, key sk-ant-secret').message).toBe('bad field, key [redacted]');
    expect(failed(401, 'authentication_error', 'invalid x-api-key sk-ant-secret').message).not.toMatch(/x-api-key|secret/);
    expect(failed(400, 'invalid_request_error', 'Your credit balance is too low').message).not.toMatch(/credit/);
  });

  it('makes do with what is no error object', () => {
    expect(messagesError({ status: 502, body: '<html>', secrets: [] })).toMatchObject({ kind: 'overloaded', status: 502 });
    expect(inBandMessagesError('{"type":"error"}', [])).toMatchObject({ kind: 'bad_response' });
    expect(inBandMessagesError('{"type":"error","error":{"type":"new_error","message":"?"}}', [])).toMatchObject({ kind: 'bad_response' });
  });
});

const blocks = (fields: Partial<Message>) => placedBlocks({ role: 'assistant', content: 'x', ...fields });

describe('placedBlocks', () => {
  it('reads our own blocks with their place, and those of other gateways without', () => {
    const thinking = { type: 'thinking', thinking: 'Hm', signature: 's' };
    const redacted = { type: 'redacted_thinking', data: 'd' };
    expect(
      blocks({
        thinking_blocks: [
          { index: 0, ...thinking, after: { content: 3, tool_calls: 1 } },
          redacted,
          { ...redacted, wire: 'openai-responses' },
        ],
      }),
    ).toEqual([
      { block: thinking, content: 3, toolCalls: 1 },
      { block: redacted, content: 0, toolCalls: 0 },
    ]);
  });

  it('reads the reasoning details of OpenRouter', () => {
    const reasoning_details = [
      { type: 'reasoning.text', text: 'Hm', signature: 's', format: 'anthropic-claude-v1', index: 0 },
      { type: 'reasoning.encrypted', data: 'd' },
      { type: 'reasoning.encrypted', data: 'e', format: 'openai-responses-v1' },
      { type: 'reasoning.summary', summary: 'Hm' },
    ];
    expect(blocks({ reasoning_details }).map((placed) => placed.block)).toEqual([
      { type: 'thinking', thinking: 'Hm', signature: 's' },
      { type: 'redacted_thinking', data: 'd' },
    ]);
  });

  it('leaves out what is not signed and what is no block', () => {
    const unsigned = { type: 'thinking', thinking: 'Hm' };
    for (const thinking_blocks of [undefined, null, 'x', [unsigned, { ...unsigned, signature: '' }, 1, null, {}]]) {
      expect(blocks({ thinking_blocks, reasoning_content: 'Hm' })).toEqual([]);
    }
    const odd = { type: 'thinking', signature: 's', after: { content: -1, tool_calls: 'many' } };
    expect(blocks({ thinking_blocks: [odd] })).toEqual([
      { block: { type: 'thinking', thinking: '', signature: 's' }, content: 0, toolCalls: 0 },
    ]);
  });
});
