import type { ProviderType } from '../../config/provider-type.js';

export const anthropicType: ProviderType = {
  type: 'anthropic',
  name: 'Anthropic',
  baseUrl: 'https://api.anthropic.com',
  environment: { apiKey: 'ANTHROPIC_API_KEY' },
};
