import { said } from '../../src/wire/testing/said.js';
import { type Answer, json, piecesOf, sse, toldIn, type Vendor, type WireCall, wireCall } from './vendor.js';

const model = 'gpt-loopback';
const facts = { context_length: 100_000, max_tokens: 10_000, capabilities: { chat: true, function_calling: true, json_mode: true } };
const usage = { prompt_tokens: 20, completion_tokens: 10, total_tokens: 30 };
const envelope = { id: 'chatcmpl-loopback', created: 1_700_000_000, model };

interface Body {
  stream?: boolean;
  tools?: { type: 'function'; function: { name: string; parameters: unknown } }[];
  stop?: string | string[];
  messages: {
    role: string;
    content: string | null | { type: string; image_url?: { url: string } }[];
    tool_calls?: WireCall[];
    tool_call_id?: string;
  }[];
  response_format?: { type: string; json_schema?: { schema: object } };
}

function finishReason({ calls, end }: Answer): string {
  if (end) return end === 'length' ? 'length' : 'content_filter';
  return calls ? 'tool_calls' : 'stop';
}

function whole(answer: Answer): string {
  const { thought, text = null, calls } = answer;
  const message = { role: 'assistant', content: text, refusal: null, reasoning_content: thought, tool_calls: calls?.map(wireCall) };
  const choice = { index: 0, message, logprobs: null, finish_reason: finishReason(answer) };
  return JSON.stringify({ ...envelope, object: 'chat.completion', choices: [choice], usage });
}

function streamed(answer: Answer): string {
  const { thought = '', text, calls = [] } = answer;
  const events: object[] = [];
  const say = (delta: object, finish_reason: string | null = null) =>
    events.push({ ...envelope, object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason }] });
  say(said.assistant(text === undefined ? null : ''));
  for (const reasoning_content of piecesOf(thought)) say({ reasoning_content });
  for (const content of piecesOf(text ?? '')) say({ content });
  for (const [index, call] of calls.entries()) {
    const { id, type, function: named } = wireCall(call);
    say({ tool_calls: [{ index, id, type, function: { name: named.name, arguments: '' } }] });
    for (const piece of piecesOf(named.arguments)) say({ tool_calls: [{ index, function: { arguments: piece } }] });
  }
  say({}, finishReason(answer));
  events.push({ ...envelope, object: 'chat.completion.chunk', choices: [], usage });
  return `${events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('')}data: [DONE]\n\n`;
}

export const chatCompletionsVendor: Vendor = {
  name: 'chat-completions',
  model,
  provider: (origin) => ({ base_url: `${origin}/v1`, api_key: 'sk-loopback', free: true, models: { [model]: facts } }),
  answer: (answer, stream) => (stream ? { headers: sse, body: streamed(answer) } : { headers: json, body: whole(answer) }),
  asked({ path, body }) {
    expect(path).toBe('/v1/chat/completions');
    const { stream = false, tools = [], messages, stop = [], response_format: format } = JSON.parse(body) as Body;
    return {
      stream,
      tools: tools.map(({ function: { name, parameters } }) => ({ name, parameters })),
      ...toldIn(messages),
      schema: format?.json_schema?.schema,
      stop: [stop].flat(),
    };
  },
};
