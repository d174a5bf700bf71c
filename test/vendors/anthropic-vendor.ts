import type Anthropic from '@anthropic-ai/sdk';
import { type Answer, type Asked, json, piecesOf, sse, type Vendor } from './vendor.js';

const model = 'claude-opus-5-5';
const envelope = { id: 'msg_loopback', type: 'message', role: 'assistant', model };

const signature = 'c2lnbmVk';

function contentOf({ thought, text, calls = [] }: Answer): object[] {
  return [
    ...(thought === undefined ? [] : [{ type: 'thinking', thinking: thought, signature }]),
    ...(text === undefined ? [] : [{ type: 'text', text }]),
    ...calls.map(({ id, name, arguments: input }) => ({ type: 'tool_use', id, name, input })),
  ];
}

function stopReason({ calls, end }: Answer): string {
  if (end) return end === 'length' ? 'max_tokens' : 'refusal';
  return calls ? 'tool_use' : 'end_turn';
}

export function messageOf(answer: Answer): object {
  return {
    ...envelope,
    content: contentOf(answer),
    stop_reason: stopReason(answer),
    stop_sequence: null,
    usage: { input_tokens: 20, output_tokens: 10 },
  };
}

export function eventsOf(answer: Answer): { type: string }[] {
  const { thought, text, calls = [] } = answer;
  const events: { type: string }[] = [];
  let index = 0;
  const say = (type: string, more: object = {}): void => void events.push({ type, ...more });
  const block = (content_block: object, deltas: readonly object[]): void => {
    say('content_block_start', { index, content_block });
    for (const delta of deltas) say('content_block_delta', { index, delta });
    say('content_block_stop', { index: index++ });
  };
  const usage = { input_tokens: 20, output_tokens: 1 };
  say('message_start', { message: { ...envelope, content: [], stop_reason: null, stop_sequence: null, usage } });
  say('ping');
  if (thought !== undefined) {
    const deltas = piecesOf(thought).map((thinking) => ({ type: 'thinking_delta', thinking }));
    block({ type: 'thinking', thinking: '', signature: '' }, [...deltas, { type: 'signature_delta', signature }]);
  }
  if (text !== undefined) {
    const deltas = piecesOf(text).map((piece) => ({ type: 'text_delta', text: piece }));
    block({ type: 'text', text: '' }, deltas);
  }
  for (const { id, name, arguments: given } of calls) {
    const deltas = ['', ...piecesOf(JSON.stringify(given))].map((partial_json) => ({ type: 'input_json_delta', partial_json }));
    block({ type: 'tool_use', id, name, input: {} }, deltas);
  }
  say('message_delta', { delta: { stop_reason: stopReason(answer), stop_sequence: null }, usage: { output_tokens: 10 } });
  say('message_stop');
  return events;
}

function streamed(answer: Answer): string {
  return eventsOf(answer)
    .map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
    .join('');
}

/** What a request in Anthropic's format says. */
export function askedOf(body: string): Asked {
  const { stream = false, tools = [], messages, output_config, stop_sequences } = JSON.parse(body) as Anthropic.MessageCreateParams;
  // The vendor demands that turns alternate, and that the results of a turn's calls stand together in the next turn.
  expect(messages.map(({ role }) => role)).toEqual(messages.map((_, index) => (index % 2 === 0 ? 'user' : 'assistant')));
  const blocks = messages.flatMap(({ content }) => (typeof content === 'string' ? [] : content));
  return {
    stream,
    tools: (tools as Anthropic.Tool[]).map(({ name, input_schema }) => ({ name, parameters: input_schema })),
    calls: blocks.filter((block) => block.type === 'tool_use').map(({ id, name, input }) => ({ id, name, arguments: input as object })),
    results: blocks
      .filter((block) => block.type === 'tool_result')
      .map(({ tool_use_id, content }) => ({ id: tool_use_id, value: JSON.parse(content as string) as unknown })),
    schema: output_config?.format?.schema,
    stop: stop_sequences ?? [],
    images: blocks.filter((block) => block.type === 'image').map(({ source }) => ('data' in source ? source.data : source.type)),
  };
}

export const anthropicVendor: Vendor = {
  name: 'Anthropic',
  model,
  provider: (origin) => ({ type: 'anthropic', base_url: origin, api_key: 'sk-ant-loopback', free: true, models: { [model]: {} } }),
  answer: (answer, stream) =>
    stream ? { headers: sse, body: streamed(answer) } : { headers: json, body: JSON.stringify(messageOf(answer)) },
  asked({ path, headers, body }) {
    expect(path).toBe('/v1/messages');
    expect(headers).toMatchObject({ 'x-api-key': 'sk-ant-loopback', 'anthropic-version': '2023-06-01' });
    return askedOf(body);
  },
};
