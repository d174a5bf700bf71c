import { templateRules } from '../../model-facts/template-rules.js';
import { copyWith } from '../../../wire/members.js';
import type { ChatGenerationRequest } from '../../../wire/generation.js';
import type { JsonObject } from '../../../wire/json-object.js';
import { openWeights } from '../input-ceilings.js';
import { embeddingExtras, neutralExtras } from '../../contract/extra-parameters.js';
import type { Preset } from '../preset.js';

/** It reads `auto`, `none` and `required` alone: a named function is called where it is the only one. */
function withNamedToolAlone(body: JsonObject): JsonObject {
  const { tools, tool_choice: choice } = body as Partial<Pick<ChatGenerationRequest, 'tools' | 'tool_choice'>>;
  if (typeof choice !== 'object' || !tools) return body;
  return copyWith(body, { tools: tools.filter((tool) => tool.function.name === choice.function.name), tool_choice: 'required' });
}

/**
 * github.com/ggml-org/llama.cpp, tools/server/README.md. Its own default port is 8080, as ours is: an address is always
 * named.
 */
export const llamacpp: Preset = {
  type: 'llamacpp',
  name: 'llama.cpp',
  path: '/v1',
  free: true,
  environment: { address: 'LLAMACPP_BASE_URL', port: 8_080 },
  completions: true,
  tokenIdPrompts: true,
  without: ['n', 'user'],
  extras: neutralExtras,
  dialect: { body: withNamedToolAlone, reasoning: ['reasoning_content'] },
  rules: templateRules,
  inputCeilings: () => openWeights,
  limitsReasoning: true,
  embeddings: { tokenIds: true, extras: embeddingExtras },
};
