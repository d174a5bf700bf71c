import { copyMember, copyOf, valueAt } from '../../../wire/members.js';
import type { GenerationRequest } from '../../../wire/generation.js';
import { type ReasoningName, sentMessages } from './sent-messages.js';

/**
 * The request body: the request itself with the vendor's model name, without the fields that only the gateway needs.
 * Some engines read log probabilities without alternatives as none at all (llama-server), so that they are asked for in
 * another way: with one alternative that is not shown, or in chats with as many as the engine likes.
 *
 * @param reasoning the names under which the vendor reads an assistant's reasoning; absent: nobody knows
 */
export function chatCompletionsRequest(
  request: GenerationRequest,
  upstreamModel: string,
  reasoning?: readonly ReasoningName[],
): Record<string, unknown> {
  const body: Record<string, unknown> = copyOf(request.extra ?? {});
  for (const name in request) if (!ours.has(name) && valueAt(request, name) !== undefined) copyMember(request, name, body);
  if (request.operation === 'chat') {
    const messages = sentMessages(request.messages, reasoning);
    if (messages !== request.messages) body['messages'] = messages;
  }
  body['model'] = upstreamModel;
  if (request.n > 1) body['n'] = request.n;
  if (request.operation === 'completion' && request.echo) body['echo'] = true;
  if (body['logprobs'] === 0) body['logprobs'] = 1;
  if (body['top_logprobs'] === 0) delete body['top_logprobs'];
  if (request.stream) {
    body['stream'] = true;
    body['stream_options'] = { include_usage: true };
  }
  return body;
}

/** Fields of a request that the body carries in another way, or not at all. */
const ours = new Set([
  'extra',
  'operation',
  'n',
  'stream',
  'echo',
  'model',
  'custom_tools',
  'hosted_tools',
  'hosted_items',
  'max_tool_calls',
  'native',
]);
