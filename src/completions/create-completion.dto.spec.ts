import fc from 'fast-check';
import { WireValidationPipe } from '../http/requests/wire-validation.pipe.js';
import { refusalOf } from '../http/requests/testing/refusal-of.js';
import { samples } from '../common/testing/long-form.js';
import { expectSameRefusals } from '../http/requests/testing/expect-same-refusals.js';
import { CreateCompletionDto } from './create-completion.dto.js';

const refusal = refusalOf(new WireValidationPipe(CreateCompletionDto, 'extra'));
const minimal = { model: 'm', prompt: 'Once' };
const nothing = Object.fromEntries(Object.keys(new CreateCompletionDto()).map((name) => [name, null]));

describe('CreateCompletionDto', () => {
  it('is refused exactly where class-validator refuses it', () => expectSameRefusals(CreateCompletionDto, { model: 'm', prompt: 'p' }));

  it.each<[string, object]>([
    ['the least', {}],
    ['several prompts', { prompt: ['a', 'b'] }],
    ['a prompt of token ids', { prompt: [1, 2, 3] }],
    ['several prompts of token ids', { prompt: [[1, 2], [3]] }],
    ['null for everything optional', { ...nothing, ...minimal }],
    ['bounds below', { logprobs: 0, n: 1, temperature: 0, max_tokens: 0, stop: [] }],
    ['bounds above', { logprobs: 5, temperature: 2, suffix: 'end', echo: true, stop: ['a', 'b'], stream: true }],
    ['best_of above n', { best_of: 3, n: 2 }],
    ['best_of above the default n', { best_of: 2 }],
    ['best_of 1, which is the default', { best_of: 1 }],
    ['best_of 1 with stream', { best_of: 1, n: 1, stream: true }],
    ['a usage chunk', { stream: true, stream_options: { include_usage: true } }],
  ])('takes %s', (_, fields) => {
    expect(refusal({ ...minimal, ...fields })).toBeUndefined();
  });

  it.each([
    [undefined],
    [null],
    [''],
    [[]],
    [['']],
    [['a', '']],
    [['a', 1]],
    [[1, 'a']],
    [[1, -1]],
    [[1.5]],
    [[2 ** 31]],
    [[[1, 2], []]],
    [[[1], 'a']],
    [[[]]],
    [1],
    [{}],
    [true],
  ])('answers the prompt %j with the wording of the specification', (prompt) => {
    const error = refusal({ ...minimal, prompt });
    expect(error).toMatchObject({
      status: 400,
      code: 'invalid_prompt',
      type: 'invalid_request_error',
      message: 'You must provide a prompt',
    });
  });

  it.each<[string, object]>([
    ['model must be a non-empty string', { model: undefined }],
    ['model must be a non-empty string', { model: '' }],
    ['suffix must be a string', { suffix: 1 }],
    ['echo must be a boolean', { echo: 'true' }],
    ['best_of must be an integer', { best_of: 0 }],
    ['best_of must be an integer', { best_of: '3' }],
    ['best_of must be an integer', { best_of: 2.5 }],
    ['best_of must be greater than n', { best_of: 2, n: 2 }],
    ['best_of must be greater than n', { best_of: 2, n: 3 }],
    ['best_of must be greater than n', { best_of: 1, n: 2 }],
    ['best_of cannot be combined with stream', { best_of: 2, stream: true }],
    ['best_of cannot be combined with stream', { best_of: 3, n: 2, stream: true }],
    ['logprobs must be an integer from 0 to 5', { logprobs: 6 }],
    ['logprobs must be an integer from 0 to 5', { logprobs: -1 }],
    ['logprobs must be an integer from 0 to 5', { logprobs: true }],
    ['n must be an integer of at least 1', { n: 0 }],
    ['n must be an integer', { n: '1', best_of: 2 }],
    ['temperature must be a number from 0 to 2', { temperature: 2.01 }],
    ['max_tokens must be an integer from 0', { max_tokens: -1 }],
    ['stop[0] must be a non-empty string', { stop: [''] }],
    ['stop must be a string or an array of strings', { stop: {} }],
    ['stream must be a boolean', { stream: 'yes' }],
    ['seed must be an integer', { seed: 'x' }],
    ['top_p must be a number from 0 to 1', { top_p: -0.1 }],
    ['presence_penalty must be', { presence_penalty: 3 }],
    ['frequency_penalty must be', { frequency_penalty: -3 }],
    ['logit_bias must be', { logit_bias: 1 }],
    ['user must be', { user: {} }],
    ['stream_options is only allowed when stream is true', { stream_options: {} }],
  ])('refuses with %s...', (message, fields) => {
    const error = refusal({ ...minimal, ...fields });
    expect(error?.message).toContain(message);
    expect(error?.code).toBe('invalid_request');
  });

  it.each(['messages', 'tools', 'tool_choice', 'response_format', 'max_completion_tokens'])('refuses %s by name', (name) => {
    const error = refusal({ ...minimal, [name]: [1] });
    expect(error?.code).toBe('unsupported_parameter');
    expect(error?.message).toContain(name);
  });

  it('refuses with the first wrong field in the order of the specification', () => {
    expect(refusal({ stream: 1 })?.message).toMatch(/^model/);
    expect(refusal({ model: 'm', logprobs: 9 })?.code).toBe('invalid_prompt');
    expect(refusal({ ...minimal, stream: 1, logprobs: 9, suffix: 1 })?.message).toMatch(/^suffix/);
  });

  it('accepts any JSON or refuses it with an ApiError', () => {
    const names = fc.constantFrom(...Object.keys(new CreateCompletionDto()), 'other', 'constructor', 'toString');
    fc.assert(
      fc.property(fc.dictionary(names, fc.jsonValue()), (fields) => {
        for (const body of [fields, { ...minimal, ...fields }, { ...fields, ...minimal }]) expect(refusal(body)?.status ?? 400).toBe(400);
      }),
      { numRuns: samples(300) },
    );
  });
});
