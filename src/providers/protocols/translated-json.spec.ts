import type { ChatGenerationRequest } from '../../wire/generation.js';
import { describeLongTexts } from '../testing/describe-long-texts.js';
import { messagesRequest } from './anthropic-messages/request.js';
import type { ModelTraits as MessagesTraits } from './anthropic-messages/model-traits.js';
import { generateContentRequest } from './gemini-generate-content/request.js';

const traits: MessagesTraits = {
  maxTokens: 64_000,
  thinking: 'adaptive',
  thinkingOff: 'disabled',
  efforts: ['high'],
  forcedTools: true,
  structuredOutputs: true,
  systemTurns: true,
};
const anthropic = (request: ChatGenerationRequest) => messagesRequest(request, 'theirs', traits, () => undefined).body;
const unclosed = (request: ChatGenerationRequest) =>
  messagesRequest(request, 'theirs', { ...traits, structuredOutputs: false, forcedTools: false }, () => undefined).body;
const gemini = (request: ChatGenerationRequest) => generateContentRequest(request, { signedCalls: true } as never, () => undefined);

describe('translatedJson of a request in Anthropic’s format', () => {
  describeLongTexts(anthropic);
});
describe('translatedJson of a request in Anthropic’s format, of an older model', () => {
  describeLongTexts(unclosed, { response_format: undefined });
});
describe('translatedJson of a request in Google’s format', () => {
  describeLongTexts(gemini);
});
