import { openWeights } from '../input-ceilings.js';
import { embeddingExtras, neutralExtras } from '../../extra-parameters.js';
import type { Preset } from '../preset.js';

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
  without: ['n', 'user'],
  extras: neutralExtras,
  inputCeilings: () => openWeights,
  limitsReasoning: true,
  embeddings: { tokenIds: true, extras: embeddingExtras },
};
