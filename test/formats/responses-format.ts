import type { Responses } from 'openai/resources/responses/responses';
import { responseEventsOf, ResponseStreamMachine } from '../support/response-stream.js';
import { envelopeCode, type Format, LIMIT, official, parsed, type Question, type Said } from './format.js';

function input({ text, image, done = [] }: Question): Responses.ResponseInput {
  const picture = { type: 'input_image', detail: 'auto', image_url: `data:image/png;base64,${image}` } as const;
  return [
    { role: 'user', content: image ? [picture, { type: 'input_text', text }] : text },
    ...done.map(({ id, name, arguments: given }) => ({
      type: 'function_call' as const,
      call_id: id,
      name,
      arguments: JSON.stringify(given),
    })),
    ...done.map(({ id, result }) => ({ type: 'function_call_output' as const, call_id: id, output: result })),
  ];
}

function endOf({ status, incomplete_details, output }: Responses.Response): Said['end'] {
  if (status === 'failed') return 'failed';
  if (status === 'incomplete') return incomplete_details?.reason === 'max_output_tokens' ? 'length' : 'filter';
  return output.some(({ type }) => type === 'function_call') ? 'tools' : 'stop';
}

function said(response: Responses.Response): Said {
  const texts: string[] = [];
  const thoughts: string[] = [];
  const calls: { name: string; arguments: object }[] = [];
  for (const item of response.output) {
    if (item.type === 'message') for (const part of item.content) texts.push(part.type === 'refusal' ? part.refusal : part.text);
    else if (item.type === 'reasoning') for (const { text } of [...item.summary, ...(item.content ?? [])]) thoughts.push(text);
    else if (item.type !== 'function_call') throw new Error(`no item of ours: ${item.type}`);
    else if (item.status === 'completed' || response.status === 'incomplete')
      calls.push({ name: item.name, arguments: parsed(item.arguments) });
  }
  return { thought: thoughts.join(''), text: texts.join(''), calls, end: endOf(response) };
}

export const responsesFormat: Format = {
  name: 'responses',
  path: 'responses',
  body: (model, question, stream) => ({
    model,
    stream,
    input: input(question),
    max_output_tokens: question.limit ?? LIMIT,
    store: false,
    tools: question.tools?.map((tool) => ({ type: 'function', strict: null, ...tool })),
    text: question.schema
      ? { format: { type: 'json_schema', name: 'answer', schema: question.schema, strict: true } }
      : question.object && { format: { type: 'json_object' } },
    reasoning: question.effort && { effort: question.effort },
  }),
  whole(body) {
    official.add('response', body);
    return said(body as Responses.Response);
  },
  streamed(text) {
    for (const event of responseEventsOf(text)) official.add('event of a response', event);
    return said(ResponseStreamMachine.run(text));
  },
  code: envelopeCode,
};
