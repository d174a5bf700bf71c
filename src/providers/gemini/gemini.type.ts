import type { ProviderType } from '../../config/provider-type.js';

export const geminiType: ProviderType = {
  type: 'gemini',
  name: 'Google Gemini',
  baseUrl: 'https://generativelanguage.googleapis.com/v1beta',
  environment: { apiKey: 'GEMINI_API_KEY' },
};
