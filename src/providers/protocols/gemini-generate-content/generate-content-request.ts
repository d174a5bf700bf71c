import type { ChatGenerationRequest } from '../../../wire/generation.js';
import { conversationOf } from './conversation.js';
import { functionCalling } from './function-calling.js';
import type { GenerateContentRequest } from './generate-content-wire.js';
import { generationConfig } from './generation-config.js';
import { addGoogleOptions } from './google-options.js';
import type { ModelTraits } from './model-traits.js';
import { thinkingConfig } from './thinking-config.js';

/**
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
    ...conversationOf(request.messages, traits.signedCalls),
    ...functionCalling(request.tools, request.tool_choice),
    generationConfig: config,
  };
  if (request.extra) addGoogleOptions(body, request.extra, dropped);
  return body;
}
