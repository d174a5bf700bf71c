import type * as ollama from 'ollama';
import { type Answer, json, piecesOf, type Vendor } from './vendor.js';

const model = 'qwen3:latest';
const ndjson = { 'content-type': 'application/x-ndjson' };

/** The server knows ids, which its client's types do not. */
type ToolCall = ollama.ToolCall & { id?: string };

interface Body extends ollama.ChatRequest {
  messages: (ollama.Message & { tool_calls?: ToolCall[]; tool_call_id?: string })[];
}

function line(message: object, done: boolean, { end }: Answer): string {
  const counts = {
    done_reason: end === 'length' ? 'length' : 'stop',
    total_duration: 1_671_921_584,
    prompt_eval_count: 20,
    prompt_eval_cached_count: 0,
    eval_count: 10,
  };
  const created_at = '2026-11-20T09:14:01.007919Z';
  return JSON.stringify({ model, created_at, message: { role: 'assistant', content: '', ...message }, done, ...(done && counts) });
}

/** Calls come whole, each in a line of its own, with arguments as objects. */
function toolCalls({ calls = [] }: Answer): ToolCall[] {
  return calls.map(({ id, name, arguments: args }, index) => ({ id, function: { index, name, arguments: args } }));
}

function streamed(answer: Answer): string {
  const { thought = '', text = '' } = answer;
  const messages = [
    ...piecesOf(thought).map((thinking) => ({ thinking })),
    ...piecesOf(text).map((content) => ({ content })),
    ...toolCalls(answer).map((call) => ({ tool_calls: [call] })),
  ];
  return [...messages.map((message) => line(message, false, answer)), line({}, true, answer)].map((one) => `${one}\n`).join('');
}

function whole(answer: Answer): string {
  const { thought: thinking, text: content = '', calls } = answer;
  return line({ content, thinking, ...(calls && { tool_calls: toolCalls(answer) }) }, true, answer);
}

export const ollamaVendor: Vendor = {
  name: 'Ollama',
  model,
  provider: (origin) => ({ type: 'ollama', base_url: origin, free: true, models: { [model]: {} } }),
  answer: (answer, stream) => (stream ? { headers: ndjson, body: streamed(answer) } : { headers: json, body: whole(answer) }),
  asked({ path, body }) {
    expect(path).toBe('/api/chat');
    const { stream = true, messages, tools = [], format, options } = JSON.parse(body) as Body;
    const turns = messages.flatMap(({ tool_calls: calls = [] }) => calls);
    const results = messages.filter(({ role }) => role === 'tool');
    // A model without ids goes by the names.
    expect(results.map(({ tool_name: name }) => name)).toEqual(turns.map((call) => call.function.name));
    return {
      stream,
      tools: tools.map(({ function: { name, parameters } }) => ({ name: name!, parameters })),
      calls: turns.map(({ id, function: { name, arguments: args } }) => ({ id: id!, name, arguments: args as object })),
      results: results.map(({ tool_call_id: id, content }) => ({ id: id!, value: JSON.parse(content) as unknown })),
      schema: typeof format === 'object' ? format : undefined,
      stop: options?.stop ?? [],
      images: messages.flatMap(({ images = [] }) => images as string[]),
    };
  },
};
