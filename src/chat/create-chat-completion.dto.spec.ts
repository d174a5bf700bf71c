import fc from 'fast-check';
import { WireValidationPipe } from '../http/requests/wire-validation.pipe.js';
import { refusalOf } from '../http/requests/testing/refusal-of.js';
import { samples } from '../common/testing/long-form.js';
import { expectSameRefusals } from '../http/requests/testing/expect-same-refusals.js';
import { CreateChatCompletionDto } from './create-chat-completion.dto.js';

const pipe = new WireValidationPipe(CreateChatCompletionDto, 'extra');
const refusal = refusalOf(pipe);
const user = { role: 'user', content: 'hi' };
const minimal = { model: 'm', messages: [user] };
const nothing = Object.fromEntries(Object.keys(new CreateChatCompletionDto()).map((name) => [name, null]));
const add = { type: 'function', function: { name: 'add', parameters: { type: 'object' } } };
const call = { id: 'c', type: 'function', function: { name: 'add', arguments: '{}' } };

describe('CreateChatCompletionDto', () => {
  it('is refused exactly where class-validator refuses it', () =>
    expectSameRefusals(CreateChatCompletionDto, { model: 'm', messages: [{ role: 'user', content: 'hi' }] }));

  it.each<[string, object]>([
    ['the least', {}],
    ['every role', { messages: ['system', 'developer', 'user', 'assistant'].map((role) => ({ role, content: 'x' })) }],
    [
      'a tool round',
      { messages: [user, { role: 'assistant', content: null, tool_calls: [call] }, { role: 'tool', tool_call_id: 'c', content: '1' }] },
    ],
    ['an assistant without the field content beside tool calls', { messages: [user, { role: 'assistant', tool_calls: [call] }] }],
    ['an assistant that refused', { messages: [user, { role: 'assistant', content: null, refusal: 'no' }] }],
    ['an empty list of tool calls beside content', { messages: [user, { role: 'assistant', content: 'x', tool_calls: [] }] }],
    ['empty content', { messages: [{ role: 'user', content: '' }] }],
    [
      'parts',
      {
        messages: [
          {
            role: 'user',
            content: [
              { type: 'text', text: '' },
              { type: 'image_url', image_url: { url: 'data:image/png;base64,AA==', detail: 'low' } },
              { type: 'input_audio', input_audio: { data: '', format: 'wav' } },
            ],
          },
        ],
      },
    ],
    ['fields of a message that nobody knows', { messages: [{ ...user, cache_control: { type: 'ephemeral' } }] }],
    ['bounds below', { temperature: 0, top_p: 0, presence_penalty: -2, frequency_penalty: -2, max_tokens: 1, n: 1, seed: -1, stop: [] }],
    [
      'bounds above',
      { temperature: 2, top_p: 1, presence_penalty: 2, frequency_penalty: 2, logprobs: true, top_logprobs: 20, user: 'u'.repeat(512) },
    ],
    ['one stop sequence as a string', { stop: 'END' }],
    [
      'tools with a choice by name',
      { tools: [add], tool_choice: { type: 'function', function: { name: 'add' } }, parallel_tool_calls: false },
    ],
    ['a choice that needs no tools', { tool_choice: 'auto' }],
    ['a schema', { response_format: { type: 'json_schema', json_schema: { name: 's', schema: {}, strict: true } } }],
    ['equal bounds of both names', { max_tokens: 5, max_completion_tokens: 5 }],
    ['a usage chunk', { stream: true, stream_options: { include_usage: true, include_obfuscation: false } }],
    ['null for everything optional', { ...nothing, ...minimal }],
  ])('takes %s', (_, fields) => {
    expect(refusal({ ...minimal, ...fields })).toBeUndefined();
  });

  it.each<[string, object]>([
    ['model must be a non-empty string', { model: undefined }],
    ['model must be a non-empty string', { model: null }],
    ['model must be a non-empty string', { model: '' }],
    ['model must be a non-empty string', { model: 1 }],
    ['model must be a non-empty string of at most 256 characters', { model: 'm'.repeat(257) }],
    ['messages must be a non-empty array', { messages: undefined }],
    ['messages must be a non-empty array', { messages: null }],
    ['messages must be a non-empty array', { messages: [] }],
    ['messages must be a non-empty array', { messages: 'hi' }],
    ['messages must be a non-empty array', { messages: { 0: user, length: 1 } }],
    ['messages must have at most 10000 elements', { messages: Array.from({ length: 10_001 }, () => user) }],
    ['messages[1] must be an object', { messages: [user, 'hi'] }],
    ['messages[0] must be an object', { messages: [null] }],
    ['messages[0] must be an object', { messages: [[]] }],
    [
      'messages[1].role must be one of system, developer, user, assistant, tool, function',
      { messages: [user, { role: 'robot', content: '' }] },
    ],
    ['messages[0].role must be one of', { messages: [{ content: 'x' }] }],
    ['messages[0].role must be one of', { messages: [{ role: 'toString', content: 'x' }] }],
    ['messages[0].name must be a string', { messages: [{ ...user, name: 1 }] }],
    ['messages[0].content must be a string or an array of parts', { messages: [{ role: 'user' }] }],
    ['messages[0].content must be a string or an array of parts', { messages: [{ role: 'user', content: null }] }],
    ['messages[0].content must be a string or an array of parts', { messages: [{ role: 'user', content: 1 }] }],
    ['messages[0].content must be a string or an array of parts', { messages: [{ role: 'system', content: { type: 'text' } }] }],
    ['messages[0].content must not be an empty array', { messages: [{ role: 'user', content: [] }] }],
    ['messages[0].content[0] must be an object', { messages: [{ role: 'user', content: ['x'] }] }],
    ['messages[0].content[0].type must be a non-empty string', { messages: [{ role: 'user', content: [{ text: 'x' }] }] }],
    ['messages[0].content[0].text must be a string', { messages: [{ role: 'user', content: [{ type: 'text' }] }] }],
    [
      'messages[0].content[0].image_url must be an object',
      { messages: [{ role: 'user', content: [{ type: 'image_url', image_url: 'x' }] }] },
    ],
    [
      'messages[0].content[0].image_url.url must be a non-empty string',
      { messages: [{ role: 'user', content: [{ type: 'image_url', image_url: {} }] }] },
    ],
    [
      'messages[0].content[0].image_url.detail must be a string',
      { messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url: 'x', detail: 1 } }] }] },
    ],
    ['messages[1].content must be a string', { messages: [user, { role: 'assistant', content: null }] }],
    ['messages[1].content must be a string', { messages: [user, { role: 'assistant', content: null, tool_calls: [] }] }],
    ['messages[1].refusal must be a string', { messages: [user, { role: 'assistant', content: 'x', refusal: 1 }] }],
    ['messages[1].function_call must be an object', { messages: [user, { role: 'assistant', function_call: 'x' }] }],
    ['messages[1].function_call.name must be a non-empty string', { messages: [user, { role: 'assistant', function_call: {} }] }],
    ['messages[0].name must be a non-empty string', { messages: [{ role: 'function', content: '1' }] }],
    [
      'messages[1].tool_calls[0].custom.input must be a string',
      { messages: [user, { role: 'assistant', tool_calls: [{ id: 'c', type: 'custom', custom: { name: 'patch' } }] }] },
    ],
    [
      'messages[1].tool_calls: the arguments of all calls must have at most 4194304 bytes together',
      { messages: [user, { role: 'assistant', function_call: { name: 'add', arguments: 'x'.repeat(4.5e6) } }] },
    ],
    [
      'messages[1].tool_calls: the arguments of all calls must have at most 4194304 bytes together',
      {
        messages: [user, { role: 'assistant', tool_calls: [{ id: 'c', type: 'custom', custom: { name: 'p', input: 'x'.repeat(4.5e6) } }] }],
      },
    ],
    [
      'messages[1].function_call.name must be a non-empty string of at most 256',
      { messages: [user, { role: 'assistant', function_call: { name: 'x'.repeat(257), arguments: '{}' } }] },
    ],
    [
      'messages[1].tool_calls[0].custom.name must be a non-empty string of at most 256',
      { messages: [user, { role: 'assistant', tool_calls: [{ id: 'c', type: 'custom', custom: { name: 'x'.repeat(257), input: '' } }] }] },
    ],
    [
      'tools: custom tools must have at most 1048576 bytes of descriptions and grammars together',
      {
        tools: ['a', 'b'].map((name) => ({
          type: 'custom',
          custom: {
            name,
            description: 'x'.repeat(3e5),
            format: { type: 'grammar', grammar: { syntax: 'lark', definition: 'x'.repeat(3e5) } },
          },
        })),
      },
    ],
    ['tools[0].custom must be an object', { tools: [{ type: 'custom' }] }],
    ['tools[0].custom.format.type must be one of text, grammar', { tools: [{ type: 'custom', custom: { name: 'p', format: {} } }] }],
    [
      'tools[0].custom.format.grammar.syntax must be one of lark, regex',
      { tools: [{ type: 'custom', custom: { name: 'p', format: { type: 'grammar', grammar: { definition: 'x' } } } }] },
    ],
    ['tools[1].custom.name must be the name of no other tool', { tools: [add, { type: 'custom', custom: { name: 'add' } }] }],
    [
      'tool_choice.custom.name must be the name of one of the tools',
      { tools: [add], tool_choice: { type: 'custom', custom: { name: 'x' } } },
    ],
    [
      'tool_choice.allowed_tools.mode must be one of auto, required',
      { tools: [add], tool_choice: { type: 'allowed_tools', allowed_tools: { tools: [add] } } },
    ],
    [
      'tool_choice.allowed_tools.tools[0] must name one of the tools',
      {
        tools: [add],
        tool_choice: { type: 'allowed_tools', allowed_tools: { mode: 'auto', tools: [{ type: 'function', function: { name: 'x' } }] } },
      },
    ],
    ['functions must be an array', { functions: 'x' }],
    ['functions[0].name must be a non-empty string', { functions: [{}] }],
    ['functions is only allowed where tools are not given', { tools: [add], functions: [{ name: 'f' }] }],
    ["function_call must be 'none', 'auto' or name a function", { functions: [{ name: 'f' }], function_call: 'required' }],
    ['function_call.name must be the name of one of the functions', { functions: [{ name: 'f' }], function_call: { name: 'g' } }],
    [
      'messages[1].tool_calls: the arguments of all calls must have at most 4194304 bytes together',
      {
        messages: [
          user,
          { role: 'assistant', tool_calls: [1, 2, 3].map(() => ({ ...call, function: { name: 'add', arguments: 'x'.repeat(1.5e6) } })) },
        ],
      },
    ],
    [
      'messages[1].tool_calls: the arguments of all calls must have at most 250000 commas together',
      {
        messages: [
          user,
          { role: 'assistant', tool_calls: [1, 2, 3].map(() => ({ ...call, function: { name: 'add', arguments: '1,'.repeat(1e5) } })) },
        ],
      },
    ],
    ['messages[1].tool_calls must be an array', { messages: [user, { role: 'assistant', tool_calls: {} }] }],
    ['messages[1].tool_calls[0] must be an object', { messages: [user, { role: 'assistant', tool_calls: [1] }] }],
    [
      'messages[1].tool_calls[1].id must be a non-empty',
      { messages: [user, { role: 'assistant', tool_calls: [call, { ...call, id: '' }] }] },
    ],
    ['messages[1].tool_calls[0].type must be', { messages: [user, { role: 'assistant', tool_calls: [{ ...call, type: 'other' }] }] }],
    ['messages[1].tool_calls[0].function must be', { messages: [user, { role: 'assistant', tool_calls: [{ ...call, function: null }] }] }],
    ['.function.name must be', { messages: [user, { role: 'assistant', tool_calls: [{ ...call, function: { arguments: '' } }] }] }],
    [
      '.function.arguments must be',
      { messages: [user, { role: 'assistant', tool_calls: [{ ...call, function: { name: 'f', arguments: {} } }] }] },
    ],
    ['messages[0].tool_call_id must be a non-empty string', { messages: [{ role: 'tool', content: 'x' }] }],
    ['temperature must be a number from 0 to 2', { temperature: 2.1 }],
    ['temperature must be a number from 0 to 2', { temperature: -0.1 }],
    ['temperature must be a number from 0 to 2', { temperature: '1' }],
    ['temperature must be a number from 0 to 2', { temperature: Number.POSITIVE_INFINITY }],
    ['max_tokens must be an integer from 1 to', { max_tokens: 0 }],
    ['max_tokens must be an integer from 1 to', { max_tokens: 1.5 }],
    ['max_tokens must be an integer from 1 to', { max_tokens: '1' }],
    ['stream must be a boolean', { stream: 'true' }],
    ['stream must be a boolean', { stream: 1 }],
    ['tools must be an array', { tools: {} }],
    ['tools must have at most 1024 elements', { tools: Array.from({ length: 1025 }, () => add) }],
    ['tools[0] must be an object', { tools: ['add'] }],
    ["tools[0].type must be 'function'", { tools: [{ type: 'web_search' }] }],
    ['tools[0].function must be an object', { tools: [{ type: 'function' }] }],
    ['tools[0].function.name must be a non-empty string', { tools: [{ type: 'function', function: { name: '' } }] }],
    ['tools[0].function.description must be', { tools: [{ type: 'function', function: { name: 'f', description: 1 } }] }],
    ['tools[0].function.parameters must be an object', { tools: [{ type: 'function', function: { name: 'f', parameters: [] } }] }],
    ['tools[0].function.strict must be a boolean', { tools: [{ type: 'function', function: { name: 'f', strict: 'yes' } }] }],
    ["tool_choice must be 'none', 'auto', 'required', name a tool", { tools: [add], tool_choice: 'each' }],
    ['tool_choice is only allowed where tools are given', { tool_choice: 'required' }],
    ['tool_choice.function.name must be a non-empty', { tools: [add], tool_choice: { type: 'function' } }],
    ['tool_choice.function.name must be the name of one', { tools: [add], tool_choice: { type: 'function', function: { name: 'sub' } } }],
    ['parallel_tool_calls must be a boolean', { parallel_tool_calls: 0 }],
    ['response_format must be an object', { response_format: 'json' }],
    ['response_format.type must be one of', { response_format: { type: 'xml' } }],
    ['response_format.json_schema must be an object', { response_format: { type: 'json_schema' } }],
    ['response_format.json_schema.name must be', { response_format: { type: 'json_schema', json_schema: { schema: {} } } }],
    ['response_format.json_schema.schema must be', { response_format: { type: 'json_schema', json_schema: { name: 's', schema: '' } } }],
    ['response_format.json_schema.strict must be', { response_format: { type: 'json_schema', json_schema: { name: 's', strict: 1 } } }],
    [
      'response_format.json_schema.description must be',
      { response_format: { type: 'json_schema', json_schema: { name: 's', description: 1 } } },
    ],
    ['max_completion_tokens must be an integer', { max_completion_tokens: 0 }],
    ['max_completion_tokens and max_tokens must be the same', { max_completion_tokens: 5, max_tokens: 6 }],
    ['n must be an integer of at least 1', { n: 0 }],
    ['n must be an integer', { n: '2' }],
    ['n must be an integer', { n: 1.5 }],
    ['stop must be a string or an array of strings', { stop: 1 }],
    ['stop must be a non-empty string', { stop: '' }],
    ['stop[1] must be a non-empty string', { stop: ['a', ''] }],
    ['stop[0] must be a non-empty string', { stop: [1] }],
    ['stop must have at most 16 elements', { stop: Array(17).fill('x') }],
    ['seed must be an integer', { seed: 2 ** 53 }],
    ['seed must be an integer', { seed: 0.5 }],
    ['top_p must be a number from 0 to 1', { top_p: 1.1 }],
    ['presence_penalty must be a number from -2 to 2', { presence_penalty: 2.1 }],
    ['frequency_penalty must be a number from -2 to 2', { frequency_penalty: -2.1 }],
    ['logit_bias must be an object', { logit_bias: [] }],
    ['logit_bias must have token ids as keys', { logit_bias: { hello: 1 } }],
    ['logit_bias must have numbers from -100 to 100', { logit_bias: { 1: 101 } }],
    ['logit_bias must have at most', { logit_bias: Object.fromEntries(Array.from({ length: 1025 }, (_, id) => [id, 0])) }],
    ['logprobs must be a boolean', { logprobs: 1 }],
    ['top_logprobs must be an integer from 0 to 20', { logprobs: true, top_logprobs: 21 }],
    ['top_logprobs is only allowed when logprobs is true', { top_logprobs: 1 }],
    ['top_logprobs is only allowed when logprobs is true', { logprobs: false, top_logprobs: 0 }],
    ['user must be a string of at most 512 characters', { user: 'u'.repeat(513) }],
    ['user must be a string', { user: 1 }],
    ['reasoning_effort must be a string', { reasoning_effort: 1 }],
    ['stream_options must be an object', { stream: true, stream_options: true }],
    ['stream_options.include_usage must be a boolean', { stream: true, stream_options: { include_usage: 'yes' } }],
    ['stream_options is only allowed when stream is true', { stream_options: { include_usage: true } }],
    ['stream_options is only allowed when stream is true', { stream: false, stream_options: {} }],
  ])('refuses with %s...', (message, fields) => {
    const error = refusal({ ...minimal, ...fields });
    expect(error?.message).toContain(message);
    expect(error?.code).toBe('invalid_request');
  });

  it.each([
    ['best_of', 'completions operation'],
    ['suffix', 'completions operation'],
    ['echo', 'completions operation'],
    ['prompt', 'use messages'],
  ])('refuses %s by name, because without it the answer would be another one', (name, advice) => {
    const error = refusal({ ...minimal, [name]: 'x' });
    expect(error?.code).toBe('unsupported_parameter');
    expect(error?.message).toContain(name);
    expect(error?.message).toContain(advice);
  });

  it('accepts unsupported parameters without effect', () => {
    expect(refusal({ ...minimal, echo: false, suffix: '', functions: [], best_of: null })).toBeUndefined();
  });

  it('refuses with the first wrong field in the order of the specification', () => {
    expect(refusal({ temperature: 3, messages: 1 })?.message).toMatch(/^model/);
    expect(refusal({ model: 'm', temperature: 3, messages: 1 })?.message).toMatch(/^messages/);
    expect(refusal({ ...minimal, stream: 1, temperature: 3 })?.message).toMatch(/^temperature/);
  });

  it('keeps fields that it does not know', () => {
    const body = pipe.transform({ ...minimal, top_k: 5, constructor: 'c' });
    expect(body.extra).toEqual({ top_k: 5, constructor: 'c' });
    expect(pipe.transform(minimal).extra).toBeUndefined();
  });

  it('accepts any JSON or refuses it with an ApiError', () => {
    const names = fc.constantFrom(...Object.keys(new CreateChatCompletionDto()), 'other', 'constructor', 'toString', 'hasOwnProperty');
    fc.assert(
      fc.property(fc.dictionary(names, fc.jsonValue()), (fields) => {
        for (const body of [fields, { ...minimal, ...fields }, { ...fields, ...minimal }]) {
          const error = refusal(body);
          expect(error?.status ?? 400).toBe(400);
        }
      }),
      { numRuns: samples(300) },
    );
  });

  it('accepts or refuses any messages', () => {
    const odd = fc.oneof(fc.jsonValue(), fc.constantFrom('user', 'assistant', 'tool', 'text', 'image_url', 'function', [], null));
    const names = fc.constantFrom(
      'role',
      'content',
      'name',
      'tool_calls',
      'tool_call_id',
      'refusal',
      'type',
      'text',
      'image_url',
      'function',
      'id',
    );
    const object = fc.dictionary(names, fc.oneof(odd, fc.array(fc.dictionary(names, odd), { maxLength: 3 })));
    const message = fc.oneof(
      object,
      fc.tuple(object, fc.constantFrom('user', 'assistant', 'tool')).map(([fields, role]) => ({ ...fields, role })),
      odd,
    );
    fc.assert(
      fc.property(fc.array(message, { maxLength: 4 }), (messages) => {
        const error = refusal({ model: 'm', messages });
        if (error) expect(error.message).toMatch(/^messages/);
      }),
      { numRuns: samples(500) },
    );
  });
});
