import { copyMember, valueAt } from '../../wire/members.js';
import type { ChatGenerationRequest, CompletionGenerationRequest, GenerationRequest } from '../../wire/generation.js';
import { isObject } from '../../wire/json-object.js';
import { isText } from '../protocols/is-text.js';
import { conversation, toolOf } from './conversation.js';
import { modelOptions } from './model-options.js';
import type { ModelTraits } from './model-traits.js';
import type { OllamaOptions } from './ollama.type.js';
import { thinkFrom } from './reasoning.js';
import type { ChatBody, GenerateBody, ThinkValue } from './wire.js';

/** What the bodies of one call have in common. */
interface Terms {
  readonly upstreamModel: string;
  readonly options: OllamaOptions;
  readonly traits: ModelTraits;
}

/**
 * The body of a chat, without changing the request.
 * @param dropped is told of each parameter that has no place in the body
 * @throws ProviderError invalid_request
 */
export function chatBody(request: ChatGenerationRequest, terms: Terms, dropped: (parameter: string) => void): ChatBody {
  const { response_format: format, tools } = request;
  const body: ChatBody = { ...common(request, terms), messages: conversation(request.messages) };
  if (tools?.length) body.tools = tools.map(toolOf);
  if (format?.type === 'json_object') body.format = 'json';
  else if (format?.type === 'json_schema') body.format = format.json_schema.schema ?? 'json';
  const think = thinkOf(request, terms.traits, dropped);
  if (think !== undefined) body.think = think;
  if (request.logprobs) body.logprobs = true;
  if (request.logprobs && request.top_logprobs) body.top_logprobs = request.top_logprobs;
  return body;
}

/**
 * The body of a legacy completion, which has no place for thoughts: they are switched off where the model can do
 * without. A text with a suffix always needs the model's template.
 */
export function generateBody(request: CompletionGenerationRequest, terms: Terms): GenerateBody {
  const { suffix, logprobs } = request;
  const body: GenerateBody = { ...common(request, terms), prompt: '' };
  copyMember(request, 'prompt', body);
  if (suffix) body.suffix = suffix;
  else if (terms.options.raw_completions) body.raw = true;
  if (terms.traits.thinking.includes(false)) body.think = false;
  if (logprobs !== undefined) body.logprobs = true;
  if (logprobs) body.top_logprobs = logprobs;
  return body;
}

function common(request: GenerationRequest, { upstreamModel, options }: Terms) {
  const { keep_alive, truncate } = options;
  return {
    model: upstreamModel,
    stream: request.stream,
    options: modelOptions(request, options),
    ...(keep_alive !== undefined && { keep_alive }),
    truncate,
  };
}

/** The client's `reasoning_effort`, or else its `think` as the vendor has it, or else the effort of its `reasoning`. */
function thinkOf(
  { reasoning_effort, extra = {} }: ChatGenerationRequest,
  { thinking }: ModelTraits,
  dropped: (parameter: string) => void,
): ThinkValue | undefined {
  const { think, reasoning } = extra;
  if (reasoning_effort === undefined && (typeof think === 'boolean' || isText(think))) return think;
  const given = reasoning_effort ?? (isObject(reasoning) ? valueAt(reasoning, 'effort') : undefined);
  const value = isText(given) ? thinkFrom(given, thinking) : undefined;
  if (value !== undefined) return value;
  if (reasoning_effort !== undefined) dropped('reasoning_effort');
  if (reasoning != null) dropped('reasoning');
  if (think != null) dropped('think');
  return undefined;
}
