import { entraOptions } from '../entra/entra.options.js';
import { openaiCeilings } from '../input-ceilings.js';
import type { Preset } from '../preset.js';
import { openaiBody, openaiRules, openaiTools, reasoningWithout } from './openai.js';

/**
 * Azure OpenAI by key or by tokens of Microsoft Entra, with the v1 API
 * (learn.microsoft.com/azure/ai-foundry/openai/api-version-lifecycle): no `api-version` is needed. A model's name there
 * is that of a deployment, and the address lists what could be deployed, not what is: deployments are named in the
 * configuration.
 */
export const azure: Preset = {
  type: 'azure',
  name: 'Azure OpenAI',
  path: '/openai/v1',
  environment: { apiKey: 'AZURE_OPENAI_API_KEY', address: 'AZURE_OPENAI_ENDPOINT' },
  credentials: (key) => ({ 'api-key': key }),
  options: entraOptions,
  fileAlone: ({ options }) =>
    options['entra'] === undefined || options['entra'] === 'client_secret'
      ? undefined
      : 'has to be entra: client_secret, or without it: identities of the machine and key files are for entries of the file',
  signs(config, services) {
    if (config.options['entra'] === undefined) return undefined;
    return import('../entra/sign-with-entra.js').then(({ signWithEntra }) => signWithEntra(config, services));
  },
  lists: false,
  modelWithout: reasoningWithout,
  dialect: { body: openaiBody, reasoning: [] },
  responses: { reasoning: 'encrypted' },
  hostedTools: openaiTools,
  dataset: { genaiPrices: 'azure', modelsDev: 'azure' },
  extras: ['safety_identifier', 'prompt_cache_key', 'prompt_cache_retention', 'verbosity'],
  rules: () => openaiRules,
  inputCeilings: openaiCeilings,
  limitsReasoning: true,
  embeddings: { inputs: 2_048, tokens: 300_000, tokenIds: true },
};
