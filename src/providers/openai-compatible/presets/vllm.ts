import { templateRules } from '../../model-facts/template-rules.js';
import { openWeights } from '../input-ceilings.js';
import { embeddingExtras, neutralExtras } from '../../contract/extra-parameters.js';
import { documentsForm } from '../../protocols/rerank-form.js';
import type { Preset } from '../preset.js';

/** docs.vllm.ai/serving/openai_compatible_server: `suffix` is not supported, `user` is ignored. */
export const vllm: Preset = {
  type: 'vllm',
  name: 'vLLM',
  baseUrl: 'http://127.0.0.1:8000/v1',
  path: '/v1',
  free: true,
  environment: { address: 'VLLM_BASE_URL', port: 8_000 },
  completions: true,
  tokenIdPrompts: true,
  without: ['user'],
  beyond: ['echo'],
  extras: neutralExtras,
  rules: templateRules,
  inputCeilings: () => openWeights,
  limitsReasoning: true,
  // docs.vllm.ai/serving/openai_compatible_server: as Jina's, and without `return_documents`.
  rerank: { ...documentsForm, extras: ['truncate_prompt_tokens'] },
  embeddings: { tokenIds: true, extras: embeddingExtras },
};
