import type { CreateEmbeddingResponse } from 'openai/resources/embeddings';
import { envelopeCode, type Format, official } from './format.js';

/** What it says is how many numbers each embedding has. */
export const embeddingsFormat: Format = {
  name: 'embeddings',
  path: 'embeddings',
  streams: false,
  body: (model, { text }) => ({ model, input: [text, text], encoding_format: 'float' }),
  whole(body) {
    official.add('embeddings', body);
    const { object, data } = body as CreateEmbeddingResponse;
    expect([object, data.map(({ index }) => index)]).toEqual(['list', [0, 1]]);
    return { thought: '', text: data.map(({ embedding }) => embedding.length).join(' '), calls: [], end: 'stop' };
  },
  streamed: () => {
    throw new Error('embeddings are not streamed');
  },
  code: envelopeCode,
};
