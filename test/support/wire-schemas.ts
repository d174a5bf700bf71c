import { Ajv2020 } from 'ajv/dist/2020.js';
import { eventsOf } from './event-stream.js';

/*
 * The answers of the specification as JSON schemas. What it names is required, and nothing that it does not know may be
 * there, save what its clients' own schemas require (`refusal`, `logprobs`) and the details of usage and price.
 */

const closed = (properties: object, optional: readonly string[] = []) => ({
  type: 'object',
  properties,
  required: Object.keys(properties).filter((name) => !optional.includes(name)),
  additionalProperties: false,
});
const string = { type: 'string' };
const count = { type: 'integer', minimum: 0 };
const amount = { type: 'number', minimum: 0 };
const flag = { type: 'boolean' };
const nullOr = (schema: object) => ({ anyOf: [{ type: 'null' }, schema] });
const timestamp = { type: 'integer', minimum: 1_000_000_000, maximum: 9_999_999_999 };
const strings = { type: 'array', items: string };

const flags = { chat: flag, completion: flag, function_calling: flag, vision: flag, embeddings: flag, json_mode: flag };
const details = { supported_parameters: strings, input_modalities: strings, output_modalities: strings };

/** 0 where the provider does not say when. */
const modelCreated = { anyOf: [timestamp, { const: 0 }] };

const price = { type: 'object', additionalProperties: amount };
const tiers = { type: 'array', items: { ...price, properties: { beyond: flag } } };
const level = { ...price, properties: { tiers }, required: ['prompt', 'completion'] };
const hours = { ...level, properties: { tiers, from: string, to: string, days: strings }, required: ['from', 'to', ...level.required] };
const components = {
  type: 'object',
  properties: { tiers, service_tiers: { type: 'object', additionalProperties: level }, hours: { type: 'array', items: hours } },
  additionalProperties: amount,
};

const model = closed(
  {
    id: { type: 'string', minLength: 1 },
    object: { const: 'model' },
    created: modelCreated,
    owned_by: string,
    provider: closed({ id: string, name: string }),
    pricing: closed({ prompt: amount, completion: amount, unit: { const: '1k_tokens' } }),
    pricing_components: components,
    context_length: { type: 'integer', minimum: 1 },
    max_tokens: { type: 'integer', minimum: 1 },
    capabilities: closed({ ...flags, ...details }, Object.keys(details)),
    performance: closed({
      avg_response_time: amount,
      avg_tokens_per_second: amount,
      uptime_percentage: { type: 'number', minimum: 0, maximum: 100 },
    }),
    status: closed({ active: flag, message: string }),
  },
  ['pricing_components'],
);

const usage = closed(
  {
    prompt_tokens: count,
    completion_tokens: count,
    total_tokens: count,
    prompt_tokens_details: { type: 'object' },
    completion_tokens_details: { type: 'object' },
    server_tool_use: { type: 'object' },
    service_tier: string,
  },
  ['prompt_tokens_details', 'completion_tokens_details', 'server_tool_use', 'service_tier'],
);

const legacyLogprobs = closed({
  tokens: strings,
  token_logprobs: { type: 'array', items: nullOr({ type: 'number', maximum: 0 }) },
  top_logprobs: nullOr({ type: 'array', items: nullOr({ type: 'object', additionalProperties: { type: 'number', maximum: 0 } }) }),
  text_offset: { type: 'array', items: count },
});
const completionChoice = (finishReason: object) =>
  closed({ text: string, index: count, logprobs: nullOr(legacyLogprobs), finish_reason: finishReason });
const generation = (prefix: string, object: string, choice: object, more: object, optional: string[] = []) =>
  closed(
    {
      id: { type: 'string', pattern: `^${prefix}-` },
      object: { const: object },
      created: timestamp,
      model: string,
      choices: { type: 'array', items: choice },
      ...more,
    },
    optional,
  );
const completion = (choice: object, more: object, optional?: string[]) => generation('cmpl', 'text_completion', choice, more, optional);

const token = { token: string, logprob: { type: 'number', maximum: 0 }, bytes: nullOr({ type: 'array', items: count }) };
const tokens = nullOr({ type: 'array', items: closed({ ...token, top_logprobs: { type: 'array', items: closed(token) } }) });
const chatLogprobs = closed({ content: tokens, refusal: tokens });
const toolCall = closed({ id: string, type: { const: 'function' }, function: closed({ name: string, arguments: string }) });
const message = closed(
  { role: { const: 'assistant' }, content: nullOr(string), refusal: nullOr(string), tool_calls: { type: 'array', items: toolCall } },
  ['tool_calls'],
);
const finishReasons = ['stop', 'length', 'tool_calls', 'content_filter'];
const toolCallDelta = closed(
  { index: count, id: string, type: { const: 'function' }, function: closed({ name: string, arguments: string }, ['name', 'arguments']) },
  ['id', 'type', 'function'],
);
const delta = closed(
  { role: { const: 'assistant' }, content: nullOr(string), refusal: nullOr(string), tool_calls: { type: 'array', items: toolCallDelta } },
  ['role', 'content', 'refusal', 'tool_calls'],
);
const chat = (object: string, choice: object, more: object, optional?: string[]) => generation('chatcmpl', object, choice, more, optional);

const schemas = {
  model,
  modelList: closed({ object: { const: 'list' }, data: { type: 'array', items: model } }),
  completion: completion(completionChoice({ enum: ['stop', 'length', 'content_filter'] }), { usage }),
  completionEvent: completion(completionChoice({ enum: [null, 'stop', 'length', 'content_filter'] }), { usage: nullOr(usage) }, ['usage']),
  chatCompletion: chat(
    'chat.completion',
    closed({ index: count, message, logprobs: nullOr(chatLogprobs), finish_reason: { enum: finishReasons } }),
    { usage },
  ),
  chatCompletionEvent: chat(
    'chat.completion.chunk',
    closed({ index: count, delta, logprobs: nullOr(chatLogprobs), finish_reason: { enum: [null, ...finishReasons] } }, ['logprobs']),
    { usage: nullOr(usage) },
    ['usage'],
  ),
  rerankList: closed(
    {
      object: { const: 'list' },
      id: { type: 'string', pattern: '^rerank-[0-9a-f-]{36}$' },
      model: string,
      results: {
        type: 'array',
        items: closed({ index: count, relevance_score: { type: 'number' }, document: closed({ text: string }) }, ['document']),
      },
      usage: closed({ prompt_tokens: count, total_tokens: count }),
      meta: closed({ billed_units: closed({ search_units: count }) }),
    },
    ['meta'],
  ),
  embeddingList: closed({
    object: { const: 'list' },
    data: {
      type: 'array',
      items: closed({
        object: { const: 'embedding' },
        index: count,
        embedding: {
          anyOf: [
            { type: 'array', minItems: 1, items: { type: 'number' } },
            { type: 'string', minLength: 4 },
          ],
        },
      }),
    },
    model: string,
    usage: closed({ prompt_tokens: count, total_tokens: count }),
  }),
  error: closed({ error: closed({ message: { type: 'string', minLength: 1 }, type: string, code: string }) }),
};

// Each is compiled on first use: most specs need one.
const ajv = new Ajv2020({ allErrors: true, validateSchema: false, schemas });

/** Fails the test with every deviation. */
export function expectShape(name: keyof typeof schemas, value: unknown): void {
  ajv.validate(name, value);
  expect(ajv.errors ?? []).toEqual([]);
}

/** @returns an answer, which has the status 200 and the shape */
export function expectedAnswer({ status, body }: { status: number; body: unknown }, name: keyof typeof schemas): unknown {
  expect({ status, error: (body as { error?: unknown }).error }).toEqual({ status: 200 });
  expectShape(name, body);
  return body;
}

/** @returns the events of an answer, which has the status 200; each has the shape */
export function expectedEvents<T>(answer: { status: number; text: string }, name: keyof typeof schemas): T[] {
  expect(answer.status).toBe(200);
  const events = eventsOf<T>(answer.text);
  for (const event of events) expectShape(name, event);
  return events;
}

/** An error as the specification wants it: status, and exactly three strings. */
export function expectError(response: { status: number; body: unknown }, status: number, code: string): void {
  expectShape('error', response.body);
  expect({ status: response.status, code: (response.body as { error: { code: string } }).error.code }).toEqual({ status, code });
}
