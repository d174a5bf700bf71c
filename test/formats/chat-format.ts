import type { ChatCompletion, ChatCompletionChunk, ChatCompletionMessageParam } from 'openai/resources/chat/completions';
import { said } from '../../src/wire/testing/said.js';
import { dataEvents, type End, envelopeCode, type Format, LIMIT, parsed, type Question } from './format.js';

type Reasoning = { reasoning_content?: string };

const ends: Readonly<Record<ChatCompletion.Choice['finish_reason'], End>> = {
  stop: 'stop',
  length: 'length',
  tool_calls: 'tools',
  function_call: 'tools',
  content_filter: 'filter',
};

function messages({ text, image, done = [] }: Question): ChatCompletionMessageParam[] {
  const url = `data:image/png;base64,${image}`;
  const tool_calls = done.map(({ id, name, arguments: given }) => ({
    id,
    type: 'function' as const,
    function: { name, arguments: JSON.stringify(given) },
  }));
  return [
    said.user(image ? [{ type: 'image_url', image_url: { url } }, said.text(text)] : text),
    ...(done.length > 0 ? [{ role: 'assistant' as const, content: null, tool_calls }] : []),
    ...done.map(({ id, result }) => ({ role: 'tool' as const, tool_call_id: id, content: result })),
  ];
}

export const chatFormat: Format = {
  name: 'chat completions',
  path: 'chat/completions',
  body: (model, question, stream) => ({
    model,
    stream,
    messages: messages(question),
    max_tokens: question.limit ?? LIMIT,
    tools: question.tools?.map((tool) => ({ type: 'function', function: tool })),
    response_format: question.schema
      ? { type: 'json_schema', json_schema: { name: 'answer', schema: question.schema, strict: true } }
      : question.object && { type: 'json_object' },
    stop: question.stop,
    reasoning_effort: question.effort,
  }),
  whole(body) {
    const { choices, object } = body as ChatCompletion;
    const [{ message, finish_reason }] = choices as [ChatCompletion.Choice];
    expect([object, message.role]).toEqual(['chat.completion', 'assistant']);
    return {
      thought: (message as Reasoning).reasoning_content ?? '',
      text: message.content ?? '',
      calls: (message.tool_calls ?? []).map((call) => {
        if (call.type !== 'function') throw new Error(`no call of a function: ${call.type}`);
        return { name: call.function.name, arguments: parsed(call.function.arguments) };
      }),
      end: ends[finish_reason],
    };
  },
  streamed(text) {
    const { events, failed } = dataEvents(text);
    return readChunks(events as ChatCompletionChunk[], failed);
  },
  code: envelopeCode,
};

/** The official type has all of it optional; the order is what its clients rely on. */
export function readChunks(events: readonly ChatCompletionChunk[], failed = false): ReturnType<Format['streamed']> {
  const calls: { name: string; written: string }[] = [];
  let [thought, text, end] = ['', '', undefined as End | undefined];
  for (const [at, { object, id, model, choices }] of events.entries()) {
    expect([object, id, model]).toEqual(['chat.completion.chunk', events[0]!.id, events[0]!.model]);
    for (const { delta, finish_reason } of choices) {
      if (at === 0) expect(delta.role).toBe('assistant');
      if (end) throw new Error('a delta comes behind the end');
      thought += (delta as Reasoning).reasoning_content ?? '';
      text += delta.content ?? '';
      for (const call of delta.tool_calls ?? []) {
        if (call.index === calls.length) {
          expect(call).toMatchObject({
            id: expect.any(String) as unknown,
            type: 'function',
            function: { name: expect.any(String) as unknown },
          });
          calls.push({ name: call.function!.name!, written: '' });
        }
        calls[call.index]!.written += call.function?.arguments ?? '';
      }
      if (finish_reason) end = ends[finish_reason];
    }
  }
  expect(end === undefined).toBe(failed);
  const complete = failed ? [] : calls.map(({ name, written }) => ({ name, arguments: parsed(written) }));
  return { thought, text, calls: complete, end: end ?? 'failed' };
}
