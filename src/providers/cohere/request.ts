import type { ResponseFormat } from '../../wire/chat-completion.js';
import type { ChatGenerationRequest } from '../../wire/generation.js';
import { describedSchema } from '../translation/described-schema.js';
import type { CohereOptions } from './cohere.type.js';
import { chatMessages } from './conversation.js';
import { setReasoning } from './reasoning.js';
import { setSampling } from './sampling.js';
import { toolSettings } from './tools.js';
import type { ChatBody, ThinkingSetting } from './wire.js';

/**
 * Converts a chat request to Cohere's form, without changing it.
 * @param dropped is told of each parameter that Cohere does not take, or takes less of
 * @throws ProviderError invalid_request
 */
export function chatBody(
  request: ChatGenerationRequest,
  upstreamModel: string,
  options: CohereOptions,
  dropped: (parameter: string) => void,
): ChatBody {
  const body: ChatBody = {
    model: upstreamModel,
    stream: request.stream,
    messages: chatMessages(request.messages, upstreamModel),
    ...toolSettings(request, dropped),
    response_format: responseFormat(request.response_format),
  };
  if (request.user) dropped('user');
  setSampling(body, request, dropped);
  setReasoning(body, request.reasoning_effort);
  addOwnParameters(body, request.extra ?? {}, dropped);
  // Cohere refuses a safety mode beside tools and documents.
  if (options.safety_mode && !body.tools && !body.documents) body.safety_mode = options.safety_mode;
  return body;
}

/** Adds what a client says in Cohere's own words, or in those of most engines (`top_k`). All else is dropped. */
function addOwnParameters(body: ChatBody, extra: Readonly<Record<string, unknown>>, dropped: (parameter: string) => void): void {
  for (const [name, value] of Object.entries(extra)) {
    if (value == null) continue;
    switch (name) {
      case 'top_k':
        body.k ??= value;
        break;
      case 'strict_tools':
        body.strict_tools = value === true;
        break;
      case 'thinking':
        body.thinking = value as ThinkingSetting;
        break;
      case 'k':
      case 'documents':
      case 'citation_options':
      case 'safety_mode':
      case 'priority':
        body[name] = value;
        break;
      default:
        dropped(name);
    }
  }
}

/** Cohere has one type for an object of any form, and for one that keeps to a schema. */
function responseFormat(format: ResponseFormat | undefined): ChatBody['response_format'] {
  if (!format || format.type === 'text') return undefined;
  const schema = describedSchema(format);
  return { type: 'json_object', ...(schema && { json_schema: schema }) };
}
