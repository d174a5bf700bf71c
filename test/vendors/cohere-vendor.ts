import { type Answer, json, piecesOf, sse, toldIn, type Vendor, type WireCall, wireCall } from './vendor.js';

const model = 'command-a-03-2025';
const plan = 'I will look it up in both cities.';
const usage = { billed_units: { input_tokens: 20, output_tokens: 10 }, tokens: { input_tokens: 1_420, output_tokens: 30 } };

interface Body {
  stream: boolean;
  tools?: { type: 'function'; function: { name: string; parameters: unknown } }[];
  stop_sequences?: string[];
  messages: {
    role: string;
    content?: string | { image_url?: { url: string } }[];
    tool_plan?: string;
    tool_calls?: WireCall[];
    tool_call_id?: string;
  }[];
  response_format?: { type: string; json_schema?: object };
}

/** Ids of calls that came with the plan. */
const announced = new Set<string>();

function finishReason({ calls, end }: Answer): string {
  if (end) return end === 'length' ? 'MAX_TOKENS' : 'ERROR_TOXIC';
  return calls ? 'TOOL_CALL' : 'COMPLETE';
}

function whole(answer: Answer): string {
  const { thought, text, calls } = answer;
  const content = [
    ...(thought === undefined ? [] : [{ type: 'thinking', thinking: thought }]),
    ...(text === undefined ? [] : [{ type: 'text', text }]),
  ];
  const said = { ...(content.length > 0 && { content }), ...(calls && { tool_plan: plan, tool_calls: calls.map(wireCall) }) };
  return JSON.stringify({ id: 'loopback', message: { role: 'assistant', ...said }, finish_reason: finishReason(answer), usage });
}

function streamed(answer: Answer): string {
  const { thought, text, calls } = answer;
  const events: { type: string; index?: number; delta?: object }[] = [];
  const say = (type: string, message?: object, index?: number) => events.push({ type, index, ...(message && { delta: { message } }) });
  say('message-start', { role: 'assistant', content: [], tool_plan: '', tool_calls: [], citations: [] });
  let block = 0;
  for (const [type, said] of Object.entries({ thinking: thought, text })) {
    if (said === undefined) continue;
    say('content-start', { content: { type, [type]: '' } }, block);
    for (const piece of piecesOf(said)) say('content-delta', { content: { [type]: piece } }, block);
    say('content-end', undefined, block++);
  }
  if (calls) {
    for (const tool_plan of piecesOf(plan)) say('tool-plan-delta', { tool_plan });
    for (const [index, call] of calls.entries()) {
      const { function: called, ...named } = wireCall(call);
      say('tool-call-start', { tool_calls: { ...named, function: { name: called.name, arguments: '' } } }, index);
      for (const piece of piecesOf(called.arguments)) say('tool-call-delta', { tool_calls: { function: { arguments: piece } } }, index);
      say('tool-call-end', undefined, index);
    }
  }
  events.push({ type: 'message-end', delta: { finish_reason: finishReason(answer), usage } });
  return events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('');
}

export const cohereVendor: Vendor = {
  name: 'Cohere',
  model,
  provider: (origin) => ({ type: 'cohere', base_url: origin, api_key: 'co-loopback', free: true, models: { [model]: {} } }),
  answer(answer, stream) {
    for (const { id } of answer.calls ?? []) announced.add(id);
    return stream ? { headers: sse, body: streamed(answer) } : { headers: json, body: whole(answer) };
  },
  asked({ path, headers, body }) {
    expect([path, headers.authorization]).toEqual(['/v2/chat', 'Bearer co-loopback']);
    const { stream, tools = [], messages, stop_sequences: stop = [], response_format: format } = JSON.parse(body) as Body;
    const called = messages.filter(({ tool_calls }) => tool_calls);
    // Cohere wants the plan back with the calls that it announced, and not as content.
    for (const { tool_calls, tool_plan, content } of called)
      if (announced.has(tool_calls![0]!.id)) expect([tool_plan, content]).toEqual([plan, undefined]);
    if (format) expect(format.type).toBe('json_object');
    return {
      stream,
      tools: tools.map(({ function: { name, parameters } }) => ({ name, parameters })),
      ...toldIn(messages),
      schema: format?.json_schema,
      stop,
    };
  },
};
