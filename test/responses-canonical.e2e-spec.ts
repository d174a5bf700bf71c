import fc from 'fast-check';
import { WireValidationPipe } from '../src/http/requests/wire-validation.pipe.js';
import { responsesRequest } from '../src/providers/protocols/openai-responses/request.js';
import { CreateResponseDto } from '../src/responses/create-response.dto.js';
import { responseRequest } from '../src/responses/response.mapping.js';
import { carriedReader } from '../src/inference/carried/testing/carried-texts.js';

const pipe = new WireValidationPipe(CreateResponseDto, 'extra');

const text = fc.string({ minLength: 1, maxLength: 12, unit: 'grapheme' }).map((word) => `x${word}`);
const id = fc.string({ minLength: 1, maxLength: 8, unit: fc.constantFrom('a', 'B', '9', '_', '-') });
const some = <T>(one: fc.Arbitrary<T>) => fc.array(one, { minLength: 1, maxLength: 3 });

const inputText = fc.record({ type: fc.constant('input_text'), text });
const image = fc.record(
  {
    type: fc.constant('input_image'),
    image_url: fc.constantFrom('data:image/png;base64,AAAA', 'https://example.com/a.png'),
    detail: fc.constantFrom('low', 'high', 'auto'),
  },
  { requiredKeys: ['type', 'image_url'] },
);
const file = fc.record({
  type: fc.constant('input_file'),
  filename: fc.constant('a.pdf'),
  file_data: fc.constant('data:application/pdf;base64,AAAA'),
});
const shown = fc.oneof(inputText, image, file);

const user = fc.record({ type: fc.constant('message'), role: fc.constant('user'), content: fc.oneof(text, some(shown)) });
const told = fc.record({
  type: fc.constant('message'),
  role: fc.constantFrom('system', 'developer'),
  content: fc.oneof(text, some(inputText)),
});
const said = fc.record(
  {
    type: fc.constant('message'),
    role: fc.constant('assistant'),
    content: some(fc.record({ type: fc.constant('output_text'), text })),
    phase: fc.constantFrom('commentary', 'final_answer'),
  },
  { requiredKeys: ['type', 'role', 'content'] },
);
const thought = fc.record({
  type: fc.constant('reasoning'),
  summary: fc.array(fc.record({ type: fc.constant('summary_text'), text }), { maxLength: 2 }),
  encrypted_content: fc.constant('gAAAAABn'),
});
const outputs = fc.oneof(text, some(inputText));
const called = fc.tuple(id, id, fc.dictionary(id, text, { maxKeys: 2 }), outputs).map(([call_id, name, given, output]) => [
  { type: 'function_call', call_id, name, arguments: JSON.stringify(given) },
  { type: 'function_call_output', call_id, output },
]);
const customCalled = fc.tuple(id, id, text, outputs).map(([call_id, name, input, output]) => [
  { type: 'custom_tool_call', call_id, name, input },
  { type: 'custom_tool_call_output', call_id, output },
]);

const input = fc.oneof(
  text,
  fc
    .tuple(
      user,
      fc.array(fc.oneof(...[user, told, said, thought].map((one) => one.map((item) => [item])), called, customCalled), { maxLength: 4 }),
    )
    .map(([first, rest]): object[] => [first, ...rest.flat()]),
);

const tool = fc.oneof(
  fc.record(
    { type: fc.constant('function'), description: text, parameters: fc.constant({ type: 'object', properties: {} }), strict: fc.boolean() },
    { requiredKeys: ['type', 'parameters'] },
  ),
  fc.record(
    {
      type: fc.constant('custom'),
      description: text,
      format: fc.constantFrom({ type: 'text' }, { type: 'grammar', syntax: 'lark', definition: 'start: "a"' }),
    },
    { requiredKeys: ['type'] },
  ),
);
const tools = some(tool).map((list): object[] => list.map((one, index) => ({ ...one, name: `tool_${index}` })));
const withTools = fc.record(
  { tools, tool_choice: fc.constantFrom('auto', 'required', 'none'), parallel_tool_calls: fc.boolean() },
  { requiredKeys: ['tools', 'tool_choice'] },
);

const format = fc.constantFrom(
  { type: 'text' },
  { type: 'json_object' },
  { type: 'json_schema', name: 'place', schema: { type: 'object', properties: { city: { type: 'string' } } }, strict: true },
);
const optional = <T extends object>(model: { [Name in keyof T]: fc.Arbitrary<T[Name]> }) => fc.record(model, { requiredKeys: [] });

const body = fc
  .tuple(
    fc.record(
      {
        input,
        instructions: text,
        max_output_tokens: fc.integer({ min: 16, max: 30_000 }),
        temperature: fc.constantFrom(0, 0.5, 2),
        top_p: fc.constantFrom(0, 0.9, 1),
        text: optional({ format, verbosity: fc.constantFrom('low', 'high') }),
        reasoning: optional({ effort: fc.constantFrom('low', 'high'), summary: fc.constantFrom('auto', 'detailed') }),
        include: fc.constant(['reasoning.encrypted_content']),
        user: id.map((name) => `u${name}`),
        prompt_cache_key: id,
        service_tier: fc.constantFrom('auto', 'flex'),
      },
      { requiredKeys: ['input'] },
    ),
    fc.oneof(withTools, fc.constant({})),
  )
  .map(([own, more]): Record<string, unknown> => ({ ...own, ...more }));

/** Without members that say nothing. */
const plain = (asked: object): unknown => Object.fromEntries(Object.entries(asked).filter(([, value]) => JSON.stringify(value) !== '{}'));

describe('A request in the format of Responses', () => {
  it('reaches a provider of this format with all of its members, and stores nothing there', () => {
    fc.assert(
      fc.property(body, (asked) => {
        const sent = responsesRequest(responseRequest(pipe.transform({ model: 'm', ...asked }), carriedReader()), 'upstream');
        expect(JSON.parse(JSON.stringify(sent))).toEqual({ ...(plain(asked) as object), model: 'upstream', stream: false, store: false });
      }),
    );
  });
});
