import type { ChatGenerationRequest } from '../../../wire/generation.js';
import { conversation } from './conversation.js';
import { toolSettings } from './tools.js';
import type { GenerateContentRequest } from './wire.js';
import { generationConfig } from './generation-config.js';
import { addGoogleOptions } from './google-options.js';
import type { ModelTraits } from './model-traits.js';
import { thinkingConfig } from './reasoning.js';

/**
 * Converts a chat request to Google's form, without changing it.
 * @param dropped is told of each parameter that has no place in the body
 * @throws ProviderError invalid_request
 */
export function generateContentRequest(
  request: ChatGenerationRequest,
  traits: ModelTraits,
  dropped: (parameter: string) => void,
): GenerateContentRequest {
  const config = generationConfig(request);
  if (request.reasoning_effort) {
    config.thinkingConfig = thinkingConfig(request.reasoning_effort, traits);
    if (!config.thinkingConfig) dropped('reasoning_effort');
  }
  // Google has no way to ask for one call at a time.
  if (request.parallel_tool_calls === false && request.tools?.length) dropped('parallel_tool_calls');
  if (request.logit_bias) dropped('logit_bias');
  if (request.user) dropped('user');
  const body = {
    ...conversation(request.messages, traits.signedCalls),
    ...toolSettings(request.tools, request.tool_choice),
    generationConfig: config,
  };
  if (request.extra) addGoogleOptions(body, request.extra, dropped);
  return body;
}
