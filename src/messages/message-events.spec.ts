import { jest } from '@jest/globals';
import { splitRun } from '../inference/chunks/split-run.js';
import { asByteText, byteText, textOf } from '../wire/byte-text.js';
import type { AnthropicMessage, MessageStreamEvent } from '../wire/anthropic-message.js';
import type { Delta } from '../wire/chat-completion.js';
import type { GenerationChunk } from '../wire/generation.js';
import { EventRun, type StreamEvent } from '../wire/stream-event.js';
import { accumulate } from '../wire/accumulate.js';
import { MessageEvents } from './message-events.js';
import { messageOf } from './message.mapping.js';
import { StreamedMessage } from './testing/streamed-message.js';
import { carriedTexts } from '../inference/carried/testing/carried-texts.js';

const envelope = { id: 'msg_1', model: 'm' };

const delta = (own: Delta): GenerationChunk => ({ choices: [{ index: 0, delta: own, finish_reason: null }] });
const end = (finish_reason: 'stop' | 'tool_calls' | 'length' | 'content_filter' = 'stop', stop_sequence?: string): GenerationChunk[] => [
  { choices: [{ index: 0, delta: {}, finish_reason, ...(stop_sequence !== undefined && { stop_sequence }) }] },
  { choices: [], usage: { prompt_tokens: 7, completion_tokens: 5, total_tokens: 12 } },
];

function eventsOf(chunks: readonly GenerationChunk[]): MessageStreamEvent[] {
  const written: StreamEvent[] = [];
  const events = new MessageEvents(envelope, carriedTexts);
  for (const chunk of chunks) events.next(chunk, (event) => written.push(event));
  return written
    .flatMap((event) => (event instanceof EventRun ? event.literals.map((one) => event.head + one + event.tail) : [event]))
    .map(parsed);
}

function parsed(event: string): MessageStreamEvent {
  const [, name, data] = /^(\w+)\ndata: (.*)$/.exec(textOf(asByteText(event)))!;
  const payload = JSON.parse(data!) as MessageStreamEvent;
  expect(payload.type).toBe(name);
  return payload;
}

/** The message that a stream says must be the one that the whole answer says. */
function message(chunks: readonly GenerationChunk[]): AnthropicMessage {
  const streamed = StreamedMessage.of(eventsOf(chunks));
  expect(streamed).toEqual(messageOf(envelope, accumulate(chunks.flatMap((chunk) => splitRun(chunk))), carriedTexts));
  return streamed;
}

describe('MessageEvents', () => {
  it('names the parts of a stream in their order', () => {
    expect(eventsOf([delta({ role: 'assistant', content: 'Hi' }), delta({ content: ' you' }), ...end()]).map(({ type }) => type)).toEqual([
      'message_start',
      'ping',
      'content_block_start',
      'content_block_delta',
      'content_block_delta',
      'content_block_stop',
      'message_delta',
      'message_stop',
    ]);
  });

  it('writes text, calls and the reason of the end', () => {
    const call = (index: number, name: string) => ({
      index,
      id: `call_${index}`,
      type: 'function' as const,
      function: { name, arguments: '' },
    });
    const more = (index: number, text: string) => ({ index, function: { arguments: text } });
    const { content, stop_reason } = message([
      delta({ content: 'Let me see: é "x"\n' }),
      delta({ tool_calls: [call(0, 'tide')] }),
      delta({ tool_calls: [more(0, '{"port"')] }),
      delta({ tool_calls: [more(0, ':"Bergen"}')] }),
      delta({ tool_calls: [call(1, 'now')] }),
      ...end('tool_calls'),
    ]);
    expect(content).toEqual([
      { type: 'text', text: 'Let me see: é "x"\n', citations: null },
      { type: 'tool_use', id: 'call_0', name: 'tide', input: { port: 'Bergen' }, caller: { type: 'direct' } },
      { type: 'tool_use', id: 'call_1', name: 'now', input: {}, caller: { type: 'direct' } },
    ]);
    expect(stop_reason).toBe('tool_use');
  });

  it('keeps signed thinking at its place', () => {
    const { content } = message([
      delta({ reasoning_content: 'I th' }),
      delta({ reasoning_content: 'ink' }),
      delta({ thinking_blocks: [{ index: 0, type: 'thinking', thinking: 'I think', signature: 'sig' }] }),
      delta({ thinking_blocks: [{ index: 1, type: 'redacted_thinking', data: 'xyz' }] }),
      delta({ content: 'Hello' }),
      ...end(),
    ]);
    expect(content).toEqual([
      { type: 'thinking', thinking: 'I think', signature: 'sig' },
      { type: 'redacted_thinking', data: 'xyz' },
      { type: 'text', text: 'Hello', citations: null },
    ]);
  });

  it('has thinking that nobody signs, and thinking that nobody sees', () => {
    expect(message([delta({ reasoning_content: 'hm' }), delta({ content: 'A' }), ...end()]).content[0]).toEqual({
      type: 'thinking',
      thinking: 'hm',
      signature: '',
    });
    const hidden = delta({ thinking_blocks: [{ index: 0, type: 'thinking', thinking: '', signature: 'sig' }] });
    expect(message([hidden, delta({ content: 'A' }), ...end()]).content[0]).toEqual({ type: 'thinking', thinking: '', signature: 'sig' });
  });

  it('passes the text of a run on as it came', () => {
    const chunks: GenerationChunk[] = [
      delta({ content: 'a' }),
      {
        choices: [{ index: 0, delta: { content: 'é"b' }, finish_reason: null }],
        run: {
          head: asByteText('"choices":[{"index":0,"delta":{"content":"'),
          tail: asByteText('"},"logprobs":null,"finish_reason":null}]}'),
          literals: ['é\\"', 'b'].map(byteText),
        },
      },
      ...end(),
    ];
    expect(eventsOf(chunks).filter(({ type }) => type === 'content_block_delta')).toHaveLength(3);
    expect(message(chunks).content).toEqual([{ type: 'text', text: 'aé"b', citations: null }]);
  });

  it.each([
    ['stop', undefined, 'end_turn', null],
    ['stop', '###', 'stop_sequence', '###'],
    ['length', undefined, 'max_tokens', null],
    ['content_filter', undefined, 'refusal', null],
  ] as const)('ends by %s %s', (reason, sequence, stop_reason, stop_sequence) => {
    expect(message([delta({ content: 'A' }), ...end(reason, sequence)])).toMatchObject({ stop_reason, stop_sequence });
  });

  it('keeps numbers of a call as they were written', () => {
    const call = { index: 0, id: 'c', function: { name: 'f', arguments: '{"id":12345678901234567890}' } };
    const whole = messageOf(envelope, accumulate([delta({ tool_calls: [call] }), ...end('tool_calls')]), carriedTexts);
    expect(JSON.stringify(whole.content)).toContain('"input":{"id":12345678901234567890}');
  });

  it('tells the parts of a prompt apart', () => {
    const usage = {
      prompt_tokens: 100,
      completion_tokens: 5,
      total_tokens: 105,
      prompt_tokens_details: {
        cached_tokens: 60,
        cache_creation_tokens: 30,
        cache_creation_token_details: { ephemeral_5m_input_tokens: 10, ephemeral_1h_input_tokens: 20 },
      },
    };
    expect(message([delta({ content: 'A' }), end()[0]!, { choices: [], usage }]).usage).toEqual({
      input_tokens: 10,
      cache_read_input_tokens: 60,
      cache_creation_input_tokens: 30,
      cache_creation: { ephemeral_5m_input_tokens: 10, ephemeral_1h_input_tokens: 20 },
      output_tokens: 5,
      output_tokens_details: null,
      server_tool_use: null,
      service_tier: null,
      inference_geo: null,
      speed: null,
    });
  });

  it('says that a silent provider is alive, once the answer has begun', () => {
    expect(eventsOf([{ choices: [] }])).toEqual([]);
    expect(eventsOf([delta({ content: 'A' }), { choices: [] }]).at(-1)).toEqual({ type: 'ping' });
  });

  it('fails where a provider goes on with a call that has ended', () => {
    const call = (index: number) => delta({ tool_calls: [{ index, id: `${index}`, function: { name: 'f', arguments: '{}' } }] });
    expect(() => eventsOf([call(0), call(1), call(0)])).toThrow('tool call');
  });

  it('has the blocks of calls one after the other where a provider mixes their pieces, up to a bounded size', () => {
    const call = (index: number, text: string) =>
      delta({ tool_calls: [{ index, id: `${index}`, function: { name: 'f', arguments: text } }] });
    const { content } = message([delta({ content: 'So.' }), call(0, '{"a"'), call(1, '{"b"'), call(0, ':1}'), call(1, ':2}'), ...end()]);
    expect(content).toMatchObject([{ type: 'text' }, { id: '0', input: { a: 1 } }, { id: '1', input: { b: 2 } }]);
    const long = 'x'.repeat(3_000_000);
    expect(() => eventsOf([call(0, '{'), call(1, long), call(1, long)])).toThrow('too long');
  });

  it('reads the text of a call once, however many calls wait for its end', () => {
    const events = new MessageEvents(envelope, carriedTexts);
    const call = (index: number) => delta({ tool_calls: [{ index, id: `${index}`, function: { name: 'f', arguments: '{' } }] });
    const reads = jest.spyOn(JSON, 'parse');
    for (let index = 0; index < 50; index++) events.next(call(index), () => undefined);
    expect(reads).toHaveBeenCalledTimes(1);
    reads.mockRestore();
  });
});
