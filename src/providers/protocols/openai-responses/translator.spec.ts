import fc from 'fast-check';
import { appendChoice } from '../../../wire/accumulate.js';
import type { GenerationChoice } from '../../../wire/generation.js';
import type { JsonObject } from '../../../wire/json-object.js';
import { ResponsesDecoder } from './decoder.js';

const said = fc.string({ minLength: 1, maxLength: 12, unit: 'grapheme' });
const item = fc.oneof(
  fc.record({
    type: fc.constant('message'),
    content: fc.array(fc.record({ type: fc.constant('output_text'), text: said }), { maxLength: 3 }),
  }),
  fc.record({
    type: fc.constant('reasoning'),
    summary: fc.array(fc.record({ type: fc.constant('summary_text'), text: said }), { maxLength: 3 }),
    encrypted_content: said,
  }),
  fc.record({ type: fc.constant('function_call'), call_id: fc.uuid(), name: fc.constant('f'), arguments: said }),
  fc.record({ type: fc.constant('custom_tool_call'), call_id: fc.uuid(), name: fc.constant('c'), input: said }),
);
const end = { status: 'completed', usage: { input_tokens: 3, output_tokens: 2, total_tokens: 5 } };

type Item = JsonObject & { type: string };

/** The events of an item, whose texts come character by character. */
function eventsOf(own: Item, output_index: number): JsonObject[] {
  const grow = (type: string, text: unknown, more: object = {}): JsonObject[] =>
    Array.from(text as string, (delta) => ({ type, output_index, delta, ...more }));
  const parts = (name: string) => (own[name] ?? []) as { text: string }[];
  return [
    { type: 'response.output_item.added', output_index, item: { ...own, arguments: '', input: '', content: [], summary: [] } },
    ...parts('summary').flatMap((part, summary_index) => [
      { type: 'response.reasoning_summary_part.added', output_index, summary_index },
      ...grow('response.reasoning_summary_text.delta', part.text, { summary_index }),
    ]),
    ...parts('content').flatMap((part, content_index) => grow('response.output_text.delta', part.text, { content_index })),
    ...grow('response.function_call_arguments.delta', own['arguments'] ?? ''),
    ...grow('response.custom_tool_call_input.delta', own['input'] ?? ''),
    { type: 'response.output_item.done', output_index, item: own },
  ];
}

function streamed(output: readonly Item[]): GenerationChoice {
  const decoder = new ResponsesDecoder([]);
  const choice: GenerationChoice = { index: 0, finish_reason: null };
  const see = (event: JsonObject) => decoder.event('', JSON.stringify(event));
  for (const [index, own] of output.entries())
    for (const event of eventsOf(own, index)) for (const each of see(event)?.choices ?? []) appendChoice(choice, each);
  see({ type: 'response.completed', response: { ...end, output } });
  for (const { choices } of decoder.end()) for (const each of choices) appendChoice(choice, each);
  return { ...choice, delta: { content: null, ...choice.delta } };
}

describe('A response in OpenAI’s Responses', () => {
  it('says the same streamed and as a whole', () => {
    fc.assert(
      fc.property(fc.array(item, { maxLength: 6 }), (items) => {
        const output = items as unknown as Item[];
        const { choices, usage } = new ResponsesDecoder([]).whole({ ...end, output });
        expect(streamed(output)).toEqual(choices[0]);
        expect(usage).toEqual({ prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 });
      }),
    );
  });

  it('has the input of a custom tool as the object of the function that stands for it', () => {
    fc.assert(
      fc.property(said, (input) => {
        const { choices } = new ResponsesDecoder([]).whole({
          ...end,
          output: [{ type: 'custom_tool_call', call_id: 'c', name: 'f', input }],
        });
        expect(JSON.parse(choices[0]!.delta!.tool_calls![0]!.function!.arguments!)).toEqual({ input });
        expect(choices[0]!.finish_reason).toBe('tool_calls');
      }),
    );
  });

  it('tells where its items and their parts begin among texts and calls', () => {
    const thought = { type: 'reasoning', summary: [{ text: 'Hm.' }, { text: 'So.' }], encrypted_content: 'e' };
    const message = { type: 'message', content: [{ type: 'output_text', text: 'four' }], phase: 'commentary' };
    const { choices } = new ResponsesDecoder([]).whole({ ...end, output: [thought, message, { type: 'reasoning', summary: [] }] });
    expect(choices[0]!.delta).toMatchObject({ reasoning_content: 'Hm.So.', content: 'four' });
    expect(choices[0]!.delta!.hosted_items).toEqual([
      { index: 0, step: 'added', item: { type: 'reasoning' } },
      { index: 0, step: 'part', after: { reasoning_content: 3 } },
      { index: 0, step: 'done', item: { type: 'reasoning', encrypted_content: 'e' }, after: { reasoning_content: 6 } },
      { index: 1, step: 'added', item: { type: 'message', phase: 'commentary' }, after: { reasoning_content: 6 } },
      { index: 2, step: 'added', item: { type: 'reasoning' }, after: { reasoning_content: 6, content: 4 } },
      { index: 2, step: 'done', item: { type: 'reasoning' }, after: { reasoning_content: 6, content: 4 } },
    ]);
  });

  it.each([
    [{ status: 'failed', error: { code: 'server_error', message: 'Busy' } }, 'overloaded'],
    [{ status: 'failed', error: { code: 'rate_limit_exceeded', message: 'Wait' } }, 'rate_limited'],
    [{ status: 'failed', error: { code: 'invalid_prompt', message: 'No' } }, 'content_filtered'],
    [{ status: 'failed', error: { code: 'invalid_image_format', message: 'No' } }, 'invalid_request'],
    [{ status: 'failed', error: null }, 'bad_response'],
    [{ status: 'cancelled' }, 'bad_response'],
    [{ status: 'incomplete', incomplete_details: { reason: 'whim' } }, 'bad_response'],
  ])('that ends with %j is an error', (ending, kind) => {
    const failed = expect.objectContaining({ kind }) as Error;
    expect(() => new ResponsesDecoder([]).whole({ output: [], ...ending })).toThrow(failed);
    const event = { type: `response.${ending.status}`, response: ending };
    expect(() => new ResponsesDecoder([]).event('', JSON.stringify(event))).toThrow(failed);
  });

  it.each([{}, { type: 'error' }])('within which an event with an error comes has failed: %j', (event) => {
    const error = { code: 'rate_limit_exceeded', message: 'Wait' };
    const failed = expect.objectContaining({ kind: 'rate_limited' }) as Error;
    expect(() => new ResponsesDecoder([]).event('', JSON.stringify({ ...event, error }))).toThrow(failed);
  });

  it.each(['queued', 'in_progress'])('that is %s is an error in the place of a whole one', (status) => {
    const failed = expect.objectContaining({ kind: 'bad_response' }) as Error;
    expect(() => new ResponsesDecoder([]).whole({ output: [], status })).toThrow(failed);
  });

  it('without its last event is an error', () => {
    expect(() => new ResponsesDecoder([]).end()).toThrow(expect.objectContaining({ kind: 'bad_response' }) as Error);
  });
});
