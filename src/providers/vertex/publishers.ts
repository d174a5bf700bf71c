import { copyMembers } from '../../wire/members.js';
import type { ProviderModel } from '../contract/model-provider.js';
import { ProviderError } from '../contract/provider-error.js';
import type { MessagesDialect } from '../protocols/anthropic-messages/anthropic-messages.protocol.js';
import { nameAddresses } from '../protocols/anthropic-messages/native.js';
import type { MessagesBody } from '../protocols/anthropic-messages/wire.js';
import { modelPath } from '../protocols/gemini-generate-content/model-path.js';

/** Whether Anthropic publishes the model. All others are asked in Google's format. */
export function isClaude(upstreamModel: string): boolean {
  return upstreamModel.startsWith('claude-');
}

/** What Vertex AI takes of Anthropic's tools (docs.cloud.google.com/vertex-ai, Claude; its errors name all tools). */
const ofClaude = {
  nativeItems: 'anthropic-messages',
  hostedTools: ['web_search', 'tool_search_tool_bm25', 'tool_search_tool_regex', 'bash', 'text_editor', 'computer', 'memory'],
} satisfies Partial<ProviderModel>;

export function withTools(model: ProviderModel): ProviderModel {
  if (!isClaude(model.upstreamModel ?? model.id)) return model;
  return { ...model, ...ofClaude, rules: { ...model.rules, withoutSettings: ['output_config.task_budget'] } };
}

/** Claude on Vertex AI: the model stands in the path, and the version of the format in the body. */
export const claudeOnVertex: MessagesDialect = {
  operation: (model, streamed) => `${modelPath(model).replace('%40', '@')}:${streamed ? 'streamRawPredict' : 'rawPredict'}`,
  body: (body) => {
    refuseAddresses(body.messages);
    const sent = copyMembers(body, { anthropic_version: 'vertex-2023-10-16' });
    return Object.assign(sent, { model: undefined, service_tier: undefined });
  },
  features: /^(interleaved-thinking|computer-use|tool-search-tool|web-search)-[\d-]+$/,
};

/** @throws ProviderError invalid_request: Anthropic fetches nothing for Vertex AI */
function refuseAddresses(turns: MessagesBody['messages']): void {
  if (nameAddresses(turns))
    throw new ProviderError('invalid_request', 'On Vertex AI, Claude takes images and files as data: URLs only, not by their address');
}
