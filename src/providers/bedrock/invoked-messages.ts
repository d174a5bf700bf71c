import type { ChatGenerationRequest, GenerationChunk } from '../../wire/generation.js';
import type { HostedTool } from '../../wire/hosted-tool.js';
import type { JsonObject } from '../../wire/json-object.js';
import { MessagesDecoder } from '../protocols/anthropic-messages/decoder.js';
import { cloudFeatures, nameAddresses, nativeBody } from '../protocols/anthropic-messages/native.js';
import { eventObject } from '../protocols/event-object.js';
import { isText } from '../protocols/is-text.js';
import type { ResponseDecoder } from '../protocols/response-decoder.js';
import type { UpstreamFailure } from '../protocols/upstream-error.js';
import { ProviderError } from '../contract/provider-error.js';
import type { BedrockOptions } from './bedrock.options.js';
import { converseError } from './error.js';
import type { BedrockTraits } from './model-traits.js';

/**
 * Features of Anthropic's that Bedrock has by the same names
 * (docs.aws.amazon.com/bedrock/latest/userguide/model-parameters-anthropic-claude-messages-request-response.html).
 */
const betas = /^(interleaved-thinking|token-efficient-tools|fine-grained-tool-streaming|effort|computer-use|tool-search-tool)-[\d-]+$/;

/** Anthropic's tools that InvokeModel takes (docs.aws.amazon.com/bedrock, Anthropic Claude tool use). */
export const invokedTools = ['tool_search_tool_regex', 'bash', 'text_editor', 'computer', 'memory'];

/**
 * The body of InvokeModel for a request that the client has written in Anthropic's form: as it came, with the version
 * and the features of Anthropic's headers within it.
 * @param dropped is called for thinking that does not fit into a lowered `max_tokens`, and for the user
 * @returns undefined where Converse is asked: the client has written another form, the model is not Anthropic's or does
 *   not take what is written, an address has to be fetched, or the operator has a guardrail, which only Converse applies
 */
export function invokedBody(
  request: ChatGenerationRequest,
  traits: BedrockTraits,
  { guardrail }: Pick<BedrockOptions, 'guardrail'>,
  dropped: (parameter: string) => void,
): JsonObject | undefined {
  if (traits.family !== 'claude' || guardrail || request.extra?.['service_tier'] !== undefined) return undefined;
  const asked = nativeBody(request, '', traits, dropped);
  if (!asked || nameAddresses(asked.messages)) return undefined;
  const body = asked as unknown as JsonObject;
  for (const name of ['model', 'stream', 'service_tier', 'metadata']) delete body[name];
  if (request.user) dropped('metadata.user_id');
  const features = cloudFeatures(request, betas);
  if (features.length > 0) body['anthropic_beta'] = features;
  body['anthropic_version'] = 'bedrock-2023-05-31';
  return body;
}

/** Decodes an answer of InvokeModel by Anthropic: its message, or its events in frames, each in base64. */
export class InvokedMessagesDecoder implements ResponseDecoder {
  readonly #messages: MessagesDecoder;

  constructor(secrets: readonly string[], tools?: readonly HostedTool[]) {
    this.#messages = new MessagesDecoder(false, secrets, tools);
  }

  get ended(): boolean {
    return this.#messages.ended;
  }

  refused(failure: UpstreamFailure): ProviderError {
    return converseError(failure);
  }

  whole(body: JsonObject): GenerationChunk {
    return this.#messages.whole(body);
  }

  event(name: string, data: string): GenerationChunk | undefined {
    if (name !== 'chunk') return undefined;
    const { bytes } = eventObject(data);
    if (!isText(bytes)) throw new ProviderError('bad_response', 'A frame of the provider’s stream is no part of a message');
    return this.#messages.event('', Buffer.from(bytes, 'base64').toString());
  }

  run(_bytes: unknown, position: number): number {
    return position;
  }

  end(): readonly GenerationChunk[] {
    return this.#messages.end();
  }
}
