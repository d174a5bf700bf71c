import type { ChatGenerationRequest } from '../../../wire/generation.js';
import { generateContentRequest } from './request.js';
import type { ModelTraits } from './model-traits.js';
import { googleSchema } from './json-schema.js';

const newest: ModelTraits = { thinking: { levels: ['LOW', 'MEDIUM', 'HIGH'] }, signedCalls: true };
const hello = { role: 'user', content: 'hello' } as const;

function frozen<T>(value: T): T {
  for (const member of Object.values(value as object)) if (typeof member === 'object' && member !== null) frozen(member);
  return Object.freeze(value);
}

function translate(fields: Partial<ChatGenerationRequest>, traits = newest) {
  const dropped: string[] = [];
  const request = frozen<ChatGenerationRequest>({ operation: 'chat', model: 'm', stream: false, n: 1, messages: [hello], ...fields });
  const body = generateContentRequest(request, traits, (parameter) => dropped.push(parameter));
  return { body: JSON.parse(JSON.stringify(body)) as Record<string, unknown>, dropped };
}

const configOf = (fields: Partial<ChatGenerationRequest>, traits?: ModelTraits) => translate(fields, traits).body['generationConfig'];

const refusal = (fields: Partial<ChatGenerationRequest>) => {
  try {
    translate(fields);
  } catch (error) {
    return error as Error & { kind: string };
  }
  throw new Error('was not refused');
};

describe('generateContentRequest', () => {
  it('says nothing that the client did not say', () => {
    expect(translate({})).toEqual({
      body: { contents: [{ role: 'user', parts: [{ text: 'hello' }] }], generationConfig: {} },
      dropped: [],
    });
  });

  it('gives every sampling parameter its name', () => {
    const config = configOf({
      temperature: 0,
      top_p: 0.9,
      seed: 7,
      presence_penalty: 0.1,
      frequency_penalty: -0.1,
      max_tokens: 100,
      stop: ['a', 'b'],
      n: 2,
      logprobs: true,
      top_logprobs: 3,
      extra: { top_k: 40 },
    });
    expect(config).toEqual({
      temperature: 0,
      topP: 0.9,
      seed: 7,
      presencePenalty: 0.1,
      frequencyPenalty: -0.1,
      maxOutputTokens: 100,
      stopSequences: ['a', 'b'],
      candidateCount: 2,
      responseLogprobs: true,
      logprobs: 3,
      topK: 40,
    });
  });

  it('asks for the chosen token alone where no alternatives are wanted', () => {
    expect(configOf({ logprobs: true, top_logprobs: 0 })).toEqual({ responseLogprobs: true });
  });

  it('refuses more stop sequences than Google takes, naming the limit', () => {
    const error = refusal({ stop: ['1', '2', '3', '4', '5', '6'] });
    expect(error).toMatchObject({ kind: 'invalid_request', message: 'This model takes at most 5 stop sequences, not 6' });
  });

  it('asks for JSON, free or by schema', () => {
    expect(configOf({ response_format: { type: 'text' } })).toEqual({});
    expect(configOf({ response_format: { type: 'json_object' } })).toEqual({ responseMimeType: 'application/json' });
    const schema = { $schema: 'https://json-schema.org/draft/2020-12/schema', type: 'object', properties: { a: { const: 'x' } } };
    expect(configOf({ response_format: { type: 'json_schema', json_schema: { name: 'n', description: 'what', schema } } })).toEqual({
      responseMimeType: 'application/json',
      responseJsonSchema: { description: 'what', type: 'object', properties: { a: { enum: ['x'] } } },
    });
  });

  it('declares functions, with a schema where there is something to describe', () => {
    const parameters = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'], additionalProperties: false };
    const { body } = translate({
      tools: [
        { type: 'function', function: { name: 'weather', description: 'of a city', parameters } },
        { type: 'function', function: { name: 'now', parameters: { type: 'object', properties: {}, additionalProperties: false } } },
        { type: 'function', function: { name: 'any', parameters: { type: 'object', additionalProperties: { type: 'string' } } } },
        { type: 'function', function: { name: 'nothing' } },
      ],
    });
    expect(body['tools']).toEqual([
      {
        functionDeclarations: [
          { name: 'weather', description: 'of a city', parametersJsonSchema: parameters },
          { name: 'now' },
          { name: 'any', parametersJsonSchema: { type: 'object', additionalProperties: { type: 'string' } } },
          { name: 'nothing' },
        ],
      },
    ]);
    expect(body).not.toHaveProperty('toolConfig');
  });

  it.each([
    ['auto', undefined],
    ['none', { mode: 'NONE' }],
    ['required', { mode: 'ANY' }],
    [
      { type: 'function', function: { name: 'f' } },
      { mode: 'ANY', allowedFunctionNames: ['f'] },
    ],
  ] as const)('turns tool_choice %j into %j', (tool_choice, config) => {
    const { body } = translate({ tools: [{ type: 'function', function: { name: 'f' } }], tool_choice });
    expect(body['toolConfig']).toEqual(config && { functionCallingConfig: config });
  });

  it('holds the arguments to the schema for strict tools', () => {
    const { body } = translate({ tools: [{ type: 'function', function: { name: 'f', strict: true } }] });
    expect(body['toolConfig']).toEqual({ functionCallingConfig: { mode: 'VALIDATED' } });
  });

  it('leaves tool_choice out where there are no tools', () => {
    expect(translate({ tool_choice: 'required' }).body).not.toHaveProperty('toolConfig');
  });

  it.each([
    ['none', { thinkingLevel: 'LOW', includeThoughts: false }, { thinkingBudget: 0, includeThoughts: false }],
    ['minimal', { thinkingLevel: 'LOW', includeThoughts: true }, { thinkingBudget: 1_024, includeThoughts: true }],
    ['low', { thinkingLevel: 'LOW', includeThoughts: true }, { thinkingBudget: 1_024, includeThoughts: true }],
    ['medium', { thinkingLevel: 'MEDIUM', includeThoughts: true }, { thinkingBudget: 8_192, includeThoughts: true }],
    ['high', { thinkingLevel: 'HIGH', includeThoughts: true }, { thinkingBudget: 24_576, includeThoughts: true }],
    ['xhigh', { thinkingLevel: 'HIGH', includeThoughts: true }, { thinkingBudget: 24_576, includeThoughts: true }],
  ])('turns reasoning_effort %s into a level or a budget', (reasoning_effort, level, budget) => {
    expect(configOf({ reasoning_effort })).toEqual({ thinkingConfig: level });
    expect(configOf({ reasoning_effort }, { thinking: { leastBudget: 0 }, signedCalls: false })).toEqual({ thinkingConfig: budget });
  });

  it('gives each model the depth it has', () => {
    const levels = (...words: ('MINIMAL' | 'LOW' | 'HIGH' | 'XHIGH')[]) => ({ thinking: { levels: words }, signedCalls: true });
    expect(configOf({ reasoning_effort: 'minimal' }, levels('MINIMAL', 'HIGH'))).toMatchObject({
      thinkingConfig: { thinkingLevel: 'MINIMAL' },
    });
    expect(configOf({ reasoning_effort: 'xhigh' }, levels('LOW', 'XHIGH'))).toMatchObject({ thinkingConfig: { thinkingLevel: 'XHIGH' } });
    expect(configOf({ reasoning_effort: 'none' }, { thinking: { leastBudget: 128 }, signedCalls: false })).toMatchObject({
      thinkingConfig: { thinkingBudget: 128 },
    });
  });

  it('names what it cannot say', () => {
    const { body, dropped } = translate(
      {
        reasoning_effort: 'high',
        parallel_tool_calls: false,
        tools: [{ type: 'function', function: { name: 'f' } }],
        logit_bias: { 1: 2 },
        user: 'u',
        extra: { store: true, metadata: null, google: { cached_content: 'cachedContents/of-somebody' } },
      },
      { thinking: undefined, signedCalls: false },
    );
    expect(dropped).toEqual(['reasoning_effort', 'parallel_tool_calls', 'logit_bias', 'user', 'store', 'google.cached_content']);
    expect(body['generationConfig']).toEqual({});
    expect(translate({ reasoning_effort: 'constructor' }).dropped).toEqual(['reasoning_effort']);
  });

  it('takes what the client says in Google’s own words', () => {
    const safety = [{ category: 'HARM_CATEGORY_HARASSMENT', threshold: 'BLOCK_NONE' }];
    expect(translate({ extra: { safety_settings: safety } }).body).toMatchObject({ safetySettings: safety });
    const google = { safety_settings: safety, thinking_config: { thinking_budget: 512, include_thoughts: false } };
    for (const extra of [{ google }, { extra_body: { google } }]) {
      const { body, dropped } = translate({ reasoning_effort: 'high', extra });
      expect(body['safetySettings']).toEqual(safety);
      expect(body['generationConfig']).toEqual({ thinkingConfig: { thinkingBudget: 512, includeThoughts: false } });
      expect(dropped).toEqual([]);
    }
  });

  it('lets a level that the client gives win over its effort', () => {
    const google = { thinking_config: { thinking_level: 'high', include_thoughts: true } };
    expect(configOf({ reasoning_effort: 'none', extra: { google } })).toEqual({
      thinkingConfig: { thinkingLevel: 'HIGH', includeThoughts: true },
    });
  });

  it('refuses extras of another type', () => {
    expect(refusal({ extra: { top_k: 'many' } })).toMatchObject({ kind: 'invalid_request', message: 'top_k must be a number' });
    expect(refusal({ extra: { safety_settings: {} } })).toMatchObject({ message: 'safety_settings must be an array' });
  });
});

describe('googleSchema', () => {
  it('leaves alone what Google takes or ignores', () => {
    const schema = {
      type: 'object',
      title: 'T',
      properties: {
        a: { type: ['string', 'null'], minLength: 1 },
        b: { anyOf: [{ type: 'integer', exclusiveMinimum: 0 }, { type: 'null' }] },
      },
      required: ['a'],
      additionalProperties: false,
    };
    expect(googleSchema(schema)).toEqual(schema);
  });

  it('says constants and definitions in the words that Google knows', () => {
    const schema = {
      $schema: 'http://json-schema.org/draft-07/schema#',
      $ref: '#/definitions/Node',
      definitions: { Node: { type: 'object', properties: { kind: { const: 'node' }, next: { $ref: '#/definitions/Node' } } } },
    };
    expect(googleSchema(schema)).toEqual({
      $ref: '#/$defs/Node',
      $defs: { Node: { type: 'object', properties: { kind: { enum: ['node'] }, next: { $ref: '#/$defs/Node' } } } },
    });
  });

  it('puts what is beside a reference beside an anyOf of it', () => {
    const beside = { description: 'an A', default: null };
    const said = { ...beside, anyOf: [{ $ref: '#/$defs/A' }] };
    expect(googleSchema({ properties: { a: { $ref: '#/definitions/A', ...beside } } })).toEqual({ properties: { a: said } });
    expect(googleSchema({ properties: { a: { allOf: [{ $ref: '#/$defs/A' }], ...beside } } })).toEqual({ properties: { a: said } });
    const $defs = { A: { type: 'object' } };
    expect(googleSchema({ $ref: '#/definitions/A', definitions: $defs, ...beside })).toEqual({ ...said, $defs });
  });

  it('takes the single member of allOf for the schema itself', () => {
    expect(googleSchema({ allOf: [{ type: 'object', properties: {} }], description: 'd' })).toEqual({
      type: 'object',
      properties: {},
      description: 'd',
    });
  });

  it('does not mistake names and values for keywords', () => {
    const schema = {
      type: 'object',
      properties: { const: { type: 'string' }, definitions: { type: 'string' }, $ref: { type: 'string' } },
      default: { const: 1, $ref: 'x' },
      enum: [{ const: 1 }],
    };
    expect(googleSchema(schema)).toEqual(schema);
  });
});
