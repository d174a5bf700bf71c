import { describeOpenAIChat } from './openai-chat.js';
import { describeOpenAICompletions } from './openai-completions.js';
import { describeOpenAIErrors } from './openai-errors.js';
import type { OpenAIClientKit, OpenAISuite } from './openai-suite.js';
import { describeOpenAITools } from './openai-tools.js';

/** Everything that the official client does with the operations of the specification. */
export function describeOpenAIClient(kit: OpenAIClientKit): void {
  const suite: OpenAISuite = {
    ...kit,
    client: (options) => new kit.sdk.OpenAI({ baseURL: kit.gateway().baseURL, apiKey: kit.gateway().liveKey, ...options }),
  };
  describe(kit.name, () => {
    describeOpenAIChat(suite);
    describeOpenAITools(suite);
    describeOpenAICompletions(suite);
    describeOpenAIErrors(suite);
  });
}
