import type { Preset } from '../preset.js';

/** docs.ollama.com/openai */
export const ollama: Preset = {
  type: 'ollama',
  name: 'Ollama',
  baseUrl: 'http://127.0.0.1:11434/v1',
  path: '/v1',
  free: true,
  environment: { address: 'OLLAMA_HOST', port: 11_434 },
  completions: true,
  without: ['n', 'logit_bias', 'logprobs', 'top_logprobs', 'user', 'tool_choice', 'parallel_tool_calls'],
  beyond: ['suffix'],
};
