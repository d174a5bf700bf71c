import * as z from 'zod';
import type { ProviderType } from '../../config/provider-type.js';

const cohereOptions = z.strictObject({
  safety_mode: z
    .enum(['CONTEXTUAL', 'STRICT', 'OFF'])
    .optional()
    .describe('The safety instruction of every request without tools and documents. Clients can then not choose their own.'),
});

export type CohereOptions = z.infer<typeof cohereOptions>;

export const cohereType: ProviderType = {
  type: 'cohere',
  name: 'Cohere',
  baseUrl: 'https://api.cohere.com',
  environment: { apiKey: 'COHERE_API_KEY' },
  options: cohereOptions,
};
