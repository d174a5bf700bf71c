import type { Preset } from '../preset.js';
import { reasoningWithout, renameMaxTokens } from './openai.js';

/**
 * Azure OpenAI by key, with the v1 API (learn.microsoft.com/azure/ai-foundry/openai/api-version-lifecycle): no
 * `api-version` is needed. A model's name there is that of a deployment, and the address lists what could be deployed,
 * not what is: deployments are named in the configuration.
 */
export const azure: Preset = {
  type: 'azure',
  name: 'Azure OpenAI',
  path: '/openai/v1',
  environment: { apiKey: 'AZURE_OPENAI_API_KEY', address: 'AZURE_OPENAI_ENDPOINT' },
  credentials: (key) => ({ 'api-key': key }),
  lists: false,
  modelWithout: reasoningWithout,
  dialect: { body: renameMaxTokens },
  dataset: { genaiPrices: 'azure', modelsDev: 'azure' },
};
