import type Anthropic from '@anthropic-ai/sdk';
import { type Answer, json, piecesOf, sse, type Vendor } from './vendor.js';

const model = 'claude-opus-5-5';
const envelope = { id: 'msg_loopback', type: 'message', role: 'assistant', model };

function contentOf(answer: Answer): object[] {
  if ('text' in answer) return [{ type: 'text', text: answer.text }];
  return answer.calls.map(({ id, name, arguments: input }) => ({ type: 'tool_use', id, name, input }));
}

function whole(answer: Answer): string {
  return JSON.stringify({
    ...envelope,
    content: contentOf(answer),
    stop_reason: 'text' in answer ? 'end_turn' : 'tool_use',
    stop_sequence: null,
    usage: { input_tokens: 20, output_tokens: 10 },
  });
}

function streamed(answer: Answer): string {
  let body = '';
  const say = (type: string, more: object = {}): void => void (body += `event: ${type}\ndata: ${JSON.stringify({ type, ...more })}\n\n`);
  const block = (index: number, content_block: object, type: string, field: string, pieces: readonly string[]): void => {
    say('content_block_start', { index, content_block });
    for (const piece of pieces) say('content_block_delta', { index, delta: { type, [field]: piece } });
    say('content_block_stop', { index });
  };
  const usage = { input_tokens: 20, output_tokens: 1 };
  say('message_start', { message: { ...envelope, content: [], stop_reason: null, stop_sequence: null, usage } });
  say('ping');
  if ('text' in answer) block(0, { type: 'text', text: '' }, 'text_delta', 'text', piecesOf(answer.text));
  else
    for (const [index, { id, name, arguments: given }] of answer.calls.entries())
      block(index, { type: 'tool_use', id, name, input: {} }, 'input_json_delta', 'partial_json', ['', ...piecesOf(JSON.stringify(given))]);
  const stop_reason = 'text' in answer ? 'end_turn' : 'tool_use';
  say('message_delta', { delta: { stop_reason, stop_sequence: null }, usage: { output_tokens: 10 } });
  say('message_stop');
  return body;
}

export const anthropicVendor: Vendor = {
  name: 'Anthropic',
  model,
  provider: (origin) => ({ type: 'anthropic', base_url: origin, api_key: 'sk-ant-loopback', free: true, models: { [model]: {} } }),
  answer: (answer, stream) => (stream ? { headers: sse, body: streamed(answer) } : { headers: json, body: whole(answer) }),
  asked({ path, headers, body }) {
    expect(path).toBe('/v1/messages');
    expect(headers).toMatchObject({ 'x-api-key': 'sk-ant-loopback', 'anthropic-version': '2023-06-01' });
    const { stream = false, tools = [], messages, output_config } = JSON.parse(body) as Anthropic.MessageCreateParams;
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
    };
  },
};
