import { openWeights } from '../input-ceilings.js';
import { grammarExtras, samplingExtras } from '../../contract/extra-parameters.js';
import type { Preset } from '../preset.js';

/** docs.api.nvidia.com/nim: metered by trial credits or by contract, so that there is no public price for tokens. */
export const nvidia: Preset = {
  type: 'nvidia',
  name: 'NVIDIA',
  baseUrl: 'https://integrate.api.nvidia.com/v1',
  path: '/v1',
  environment: { apiKey: 'NVIDIA_API_KEY' },
  without: ['n', 'logit_bias', 'logprobs', 'top_logprobs', 'user'],
  leavesOut: ({ id }) => /embed|rerank|guard|safety|reward|parse|clip|vila|retriever|detector|gliner|translate/i.test(id),
  dataset: { modelsDev: 'nvidia' },
  extras: [...samplingExtras, ...grammarExtras, 'thinking', 'chat_template_kwargs', 'min_thinking_tokens', 'max_thinking_tokens'],
  dialect: { reasoning: ['reasoning_content'] },
  inputCeilings: () => openWeights,
};
