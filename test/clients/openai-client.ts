import { describeOpenAIChat } from './openai-chat.js';
import { describeOpenAIErrors } from './openai-errors.js';
import type { OpenAIClientKit, OpenAISuite } from './openai-suite.js';

/** Everything that the official client does with the operations of the specification. */
export function describeOpenAIClient(kit: OpenAIClientKit): void {
  const suite: OpenAISuite = {
    ...kit,
    client: (options) => new kit.sdk.OpenAI({ baseURL: kit.gateway().baseURL, apiKey: kit.gateway().liveKey, ...options }),
  };
  describe(kit.name, () => {
    describeOpenAIChat(suite);
    describeOpenAIErrors(suite);
  });
}
