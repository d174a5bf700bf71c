import { embeddingExtras } from '../../contract/extra-parameters.js';
import { openWeights } from '../input-ceilings.js';
import type { Preset } from '../preset.js';

/**
 * huggingface.github.io/text-embeddings-inference: one model a server, with a form of scores of its own. A call has 32
 * inputs where `--max-client-batch-size` does not say otherwise.
 */
export const tei: Preset = {
  type: 'tei',
  name: 'Text Embeddings Inference',
  baseUrl: 'http://127.0.0.1:8080',
  free: true,
  environment: { address: 'TEI_BASE_URL', port: 8_080 },
  lists: false,
  without: ['user'],
  extras: [],
  inputCeilings: () => openWeights,
  rerank: {
    texts: 'texts',
    model: false,
    results: 'list',
    score: 'score',
    inputs: 32,
    extras: ['truncate', 'truncation_direction', 'raw_scores'],
  },
  dialect: { embeddingsPath: 'v1/embeddings' },
  embeddings: { inputs: 32, extras: embeddingExtras },
};
