import { objectSchemas, openaiIds, openaiNames } from '../../model-facts/common-rules.js';
import { base64Of } from '../../translation/data-url.js';
import { copyWith, valueAt } from '../../../wire/members.js';
import { openaiCeilings } from '../input-ceilings.js';
import type { JsonObject } from '../../../wire/json-object.js';
import { fileAddress, fileOfPart } from '../../translation/file-of-part.js';
import type { ContentPart, Message } from '../../../wire/chat-completion.js';
import type { Parameter } from '../../contract/parameters.js';
import { ProviderError } from '../../contract/provider-error.js';
import type { RequestRules } from '../../contract/request-rules.js';
import type { Preset } from '../preset.js';

/**
 * What models that reason are known to refuse (developers.openai.com/api/docs/guides/reasoning, latest-model; the API
 * reference of `stop`); their chat variants accept it. What is not known of a model goes on, and the vendor refuses it.
 */
export function reasoningWithout(model: string): readonly Parameter[] {
  if (!/^(o\d|gpt-([5-9]|\d\d))/.test(model) || model.includes('chat')) return ['reasoning_effort'];
  return [
    ...(/^(o\d|gpt-5(?!\.))/.test(model) ? (['temperature', 'top_p', 'logprobs', 'top_logprobs'] as const) : []),
    ...(/^(o\d|gpt-5(?!\.([4-9]|\d\d)))/.test(model) ? (['presence_penalty', 'frequency_penalty', 'logit_bias'] as const) : []),
    ...(/^(o3(?!-mini)|o4|gpt-5(?!\.([4-9]|\d\d)))/.test(model) ? (['stop'] as const) : []),
  ];
}

/**
 * Models that reason refuse `max_tokens`; all models that chat accept its newer name.
 * @throws ProviderError invalid_request for a file by its address, which the Responses API alone fetches
 */
export function openaiBody(body: JsonObject): JsonObject {
  if (body['messages'] === undefined) return body;
  for (const [index, message] of (body['messages'] as Message[]).entries()) {
    const content = valueAt(message, 'content');
    for (const part of Array.isArray(content) ? (content as ContentPart[]) : []) {
      const file = fileOfPart(part);
      if (file && fileAddress(file) !== undefined)
        throw new ProviderError(
          'invalid_request',
          `messages[${index}].content: files are read as a data: URL in file.file_data here, and by address in the Responses format`,
        );
    }
  }
  if (body['max_tokens'] === undefined) return body;
  return copyWith(body, { max_tokens: undefined, max_completion_tokens: body['max_tokens'] });
}

/** developers.openai.com/api/docs/guides/tools; Azure has the same. */
export const openaiTools: readonly string[] = [
  'web_search',
  'web_search_preview',
  'file_search',
  'code_interpreter',
  'image_generation',
  'mcp',
  'local_shell',
  'apply_patch',
  'computer',
  'computer_use_preview',
  'tool_search',
];

/** developers.openai.com/api/reference/resources/chat. */
export const openaiRules: RequestRules = {
  callIds: openaiIds,
  functionNames: openaiNames,
  messageNames: openaiNames,
  messageFields: ['name', 'refusal'],
  fileNames: true,
  originalImages: true,
  media: { image: base64Of('image/(png|jpe?g|gif|webp)', '|^https?:'), file: /^/, audio: /^/ },
  toolSchema: objectSchemas,
};

export const openai: Preset = {
  type: 'openai',
  name: 'OpenAI',
  baseUrl: 'https://api.openai.com/v1',
  path: '/v1',
  environment: { apiKey: 'OPENAI_API_KEY' },
  completions: /^(gpt-3\.5-turbo-instruct|davinci-002|babbage-002)/,
  tokenIdPrompts: true,
  beyond: ['suffix', 'echo'],
  modelWithout: reasoningWithout,
  // These models are served by the Responses API only.
  leavesOut: ({ id }) => /-pro(-|$)|codex|deep-research|computer-use|gpt-audio|live|image/.test(id),
  dialect: { body: openaiBody, reasoning: [] },
  responses: { reasoning: 'encrypted' },
  hostedTools: openaiTools,
  dataset: { genaiPrices: 'openai', modelsDev: 'openai' },
  extras: ['safety_identifier', 'prompt_cache_key', 'prompt_cache_retention', 'verbosity'],
  rules: () => openaiRules,
  inputCeilings: openaiCeilings,
  limitsReasoning: true,
  // developers.openai.com/api/reference/resources/embeddings: 300,000 tokens of all inputs together.
  embeddings: { inputs: 2_048, tokens: 300_000, tokenIds: true },
  hostedCalls: (model) => (/-search-(preview|api)/.test(model) ? ['search'] : []),
};
