import { templateRules } from '../../model-facts/template-rules.js';
import { openWeights } from '../input-ceilings.js';
import { embeddingExtras, neutralExtras } from '../../contract/extra-parameters.js';
import type { Preset } from '../preset.js';

/** lmstudio.ai/docs/developer/openai-compat: a list of what is supported. */
export const lmstudio: Preset = {
  type: 'lmstudio',
  name: 'LM Studio',
  baseUrl: 'http://127.0.0.1:1234/v1',
  path: '/v1',
  free: true,
  environment: { address: 'LMSTUDIO_BASE_URL', port: 1_234 },
  completions: true,
  without: ['n', 'logprobs', 'top_logprobs', 'user', 'tool_choice', 'parallel_tool_calls'],
  extras: neutralExtras,
  rules: templateRules,
  inputCeilings: () => openWeights,
  limitsReasoning: true,
  embeddings: { extras: embeddingExtras },
};
