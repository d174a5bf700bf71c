import type Anthropic from '@anthropic-ai/sdk';
import { StreamedMessage } from '../../src/messages/testing/streamed-message.js';
import type { AnthropicMessage, MessageStreamEvent } from '../../src/wire/anthropic-message.js';
import { type End, type Format, LIMIT, official, type Question, parsed, type Said } from './format.js';

const ends: Readonly<Partial<Record<string, End>>> = {
  end_turn: 'stop',
  stop_sequence: 'stop',
  max_tokens: 'length',
  tool_use: 'tools',
  refusal: 'filter',
};

function messages({ text, image, done = [] }: Question): Anthropic.MessageParam[] {
  const picture = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: image ?? '' } } as const;
  if (done.length === 0) return [{ role: 'user', content: image ? [picture, { type: 'text', text }] : text }];
  return [
    { role: 'user', content: text },
    { role: 'assistant', content: done.map(({ id, name, arguments: given }) => ({ type: 'tool_use', id, name, input: given })) },
    { role: 'user', content: done.map(({ id, result }) => ({ type: 'tool_result', tool_use_id: id, content: result })) },
  ];
}

function said({ content, stop_reason }: Pick<AnthropicMessage, 'content'> & { stop_reason: string | null }): Said {
  let [thought, text] = ['', ''];
  const calls: { name: string; arguments: object }[] = [];
  for (const block of content) {
    if (block.type === 'text') text += block.text;
    else if (block.type === 'thinking') thought += block.thinking;
    else if (block.type === 'tool_use') calls.push({ name: block.name, arguments: block.input });
  }
  return { thought, text, calls, end: ends[stop_reason ?? ''] ?? 'failed' };
}

/** Events have their type as their name. */
function eventsOf(text: string): (MessageStreamEvent | { readonly type: 'error' })[] {
  const blocks = text.split('\n\n').filter((block) => block !== '' && !block.startsWith(':'));
  return blocks.map((block) => {
    const [, name, data] = /^event: (\w+)\ndata: (\{[^\n]*\})$/.exec(block) ?? [];
    const event = parsed(data ?? '""') as MessageStreamEvent;
    expect([name, block]).toEqual([event.type, block]);
    return event;
  });
}

export const messagesFormat: Format = {
  name: 'messages',
  path: 'messages',
  body: (model, question, stream) => ({
    model,
    stream,
    max_tokens: question.limit ?? LIMIT,
    messages: messages(question),
    tools: question.tools?.map(({ name, description, parameters }) => ({ name, description, input_schema: parameters })),
    output_config: question.schema && { format: { type: 'json_schema', schema: question.schema } },
    stop_sequences: question.stop === undefined ? undefined : [question.stop],
    thinking: question.effort && { type: 'enabled', budget_tokens: 1_024 },
  }),
  whole(body) {
    official.add('message', body);
    return said(body as AnthropicMessage);
  },
  streamed(text) {
    const streamed = new StreamedMessage();
    for (const event of eventsOf(text)) {
      official.add(event.type === 'error' ? 'error of messages' : 'event of a message', event);
      if (event.type === 'error') return said({ content: [], ...streamed.soFar, stop_reason: null });
      streamed.next(event);
    }
    return said(streamed.message);
  },
  code(body) {
    official.add('error of messages', body);
    return (body as { error: { details: { error_code: string } } }).error.details.error_code;
  },
};
