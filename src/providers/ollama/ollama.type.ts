import * as z from 'zod';
import type { ProviderType } from '../../config/provider-type.js';

export const ollamaOptions = z.strictObject({
  keep_alive: z
    .union([z.int(), z.string().regex(/^-?(\d+(\.\d+)?(ns|us|ms|s|m|h))+$/, 'must be a duration such as 30m, or seconds')])
    .optional()
    .describe('How long a model stays in memory after an answer: seconds, or a duration such as 30m; below 0 for ever.'),
  num_ctx: z
    .int()
    .min(1)
    .optional()
    .describe('Tokens of prompt and output together that each model is loaded with. Absent: as the server decides.'),
  truncate: z
    .boolean()
    .default(false)
    .describe('Have the server leave out the oldest messages of a conversation that is too long. false: that is an error.'),
  raw_completions: z
    .boolean()
    .default(false)
    .describe("Give the prompts of legacy completions to the model as they are, without the model's template: for base models."),
});

export type OllamaOptions = z.output<typeof ollamaOptions>;

export const ollamaType: ProviderType = {
  type: 'ollama',
  name: 'Ollama',
  baseUrl: 'http://127.0.0.1:11434',
  free: true,
  environment: { address: 'OLLAMA_HOST', port: 11_434 },
  options: ollamaOptions,
};
