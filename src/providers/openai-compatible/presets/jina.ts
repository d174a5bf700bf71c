import { embeddingExtras } from '../../contract/extra-parameters.js';
import { documentsForm } from '../../protocols/rerank-form.js';
import { openWeights } from '../input-ceilings.js';
import type { Preset } from '../preset.js';

/** api.jina.ai/redoc: embeddings and scores, and no chat. It would send each document back. */
export const jina: Preset = {
  type: 'jina',
  name: 'Jina',
  baseUrl: 'https://api.jina.ai/v1',
  environment: { apiKey: 'JINA_API_KEY' },
  lists: false,
  models: ['jina-reranker-v3', 'jina-reranker-v2-base-multilingual', 'jina-embeddings-v3'],
  without: ['user'],
  extras: [],
  inputCeilings: () => openWeights,
  rerank: { ...documentsForm, more: { return_documents: false }, extras: ['truncation', 'max_doc_length'] },
  embeddings: { extras: embeddingExtras },
};
