import { type Answer, type Call, json, piecesOf, sse, type Vendor } from './vendor.js';

const model = 'command-a-03-2025';
const plan = 'I will look it up in both cities.';
const usage = { billed_units: { input_tokens: 20, output_tokens: 10 }, tokens: { input_tokens: 1_420, output_tokens: 30 } };

interface WireCall {
  id: string;
  type: 'function';
  function: { name: string; arguments: string };
}

interface Body {
  stream: boolean;
  tools?: { type: 'function'; function: { name: string; parameters: unknown } }[];
  messages: { role: string; content?: string; tool_plan?: string; tool_calls?: WireCall[]; tool_call_id?: string }[];
  response_format?: { type: string; json_schema?: object };
}

const wireCall = ({ id, name, arguments: given }: Call): WireCall => ({
  id,
  type: 'function',
  function: { name, arguments: JSON.stringify(given) },
});

function whole(answer: Answer): string {
  const said =
    'text' in answer ? { content: [{ type: 'text', text: answer.text }] } : { tool_plan: plan, tool_calls: answer.calls.map(wireCall) };
  const finish_reason = 'text' in answer ? 'COMPLETE' : 'TOOL_CALL';
  return JSON.stringify({ id: 'loopback', message: { role: 'assistant', ...said }, finish_reason, usage });
}

function streamed(answer: Answer): string {
  const events: { type: string; index?: number; delta?: object }[] = [];
  const say = (type: string, message?: object, index?: number) => events.push({ type, index, ...(message && { delta: { message } }) });
  say('message-start', { role: 'assistant', content: [], tool_plan: '', tool_calls: [], citations: [] });
  if ('text' in answer) {
    say('content-start', { content: { type: 'text', text: '' } }, 0);
    for (const text of piecesOf(answer.text)) say('content-delta', { content: { text } }, 0);
    say('content-end', undefined, 0);
  } else {
    for (const tool_plan of piecesOf(plan)) say('tool-plan-delta', { tool_plan });
    for (const [index, call] of answer.calls.entries()) {
      const { function: called, ...named } = wireCall(call);
      say('tool-call-start', { tool_calls: { ...named, function: { name: called.name, arguments: '' } } }, index);
      for (const piece of piecesOf(called.arguments)) say('tool-call-delta', { tool_calls: { function: { arguments: piece } } }, index);
      say('tool-call-end', undefined, index);
    }
  }
  events.push({ type: 'message-end', delta: { finish_reason: 'text' in answer ? 'COMPLETE' : 'TOOL_CALL', usage } });
  return events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('');
}

export const cohereVendor: Vendor = {
  name: 'Cohere',
  model,
  provider: (origin) => ({ type: 'cohere', base_url: origin, api_key: 'co-loopback', free: true, models: { [model]: {} } }),
  answer: (answer, stream) => (stream ? { headers: sse, body: streamed(answer) } : { headers: json, body: whole(answer) }),
  asked({ path, headers, body }) {
    expect([path, headers.authorization]).toEqual(['/v2/chat', 'Bearer co-loopback']);
    const { stream, tools = [], messages, response_format: format } = JSON.parse(body) as Body;
    // Cohere wants the plan back with the calls that it announced, and not as content.
    const planned = messages.filter(({ tool_plan, content }) => tool_plan === plan && content === undefined);
    if (format) expect(format.type).toBe('json_object');
    return {
      stream,
      tools: tools.map(({ function: { name, parameters } }) => ({ name, parameters })),
      calls: planned.flatMap(({ tool_calls = [] }) =>
        tool_calls.map(({ id, function: { name, arguments: given } }) => ({ id, name, arguments: JSON.parse(given) as object })),
      ),
      results: messages
        .filter(({ role }) => role === 'tool')
        .map(({ tool_call_id, content }) => ({ id: tool_call_id!, value: JSON.parse(content!) as unknown })),
      schema: format?.json_schema,
    };
  },
};
