import type { Capabilities } from '../../../wire/model.js';
import type { InputCeilings } from '../../model-provider.js';
import { spokenBy } from '../../parameters.js';
import type { ModelTraits } from '../../protocols/anthropic-messages/model-traits.js';
import { type ClaudeModel, claudeModels, newestTraits } from './claude-models.js';

/** Traits of a compatible server that serves models of its own: the oldest and most common part of the format. */
const commonTraits: ModelTraits = {
  maxTokens: 8_192,
  thinking: 'budget',
  thinkingOff: 'absent',
  efforts: [],
  forcedTools: true,
  structuredOutputs: false,
  systemTurns: false,
};

const byId = new Map(claudeModels.map((model) => [model.id, model]));

/**
 * Facts about a model by the vendor's name for it, with or without the date of a snapshot, which Vertex AI has behind
 * an at sign. A Claude that is not in our list is taken to be newer than the list.
 */
export function factsOf(upstreamModel: string): ClaudeModel {
  const name = undated(upstreamModel);
  const known = byId.get(name);
  if (known) return known;
  const traits = isClaude(name) ? newestTraits : commonTraits;
  return { id: name, released: '1970-01-01', contextLength: 200_000, sampling: !isClaude(name), traits };
}

/** Whether our list has the model, or the model of the snapshot. */
export function isListed(upstreamModel: string): boolean {
  return byId.has(undated(upstreamModel));
}

function undated(upstreamModel: string): string {
  return upstreamModel.replace(/[-@]\d{8}$/, '');
}

export function isClaude(name: string): boolean {
  return name.startsWith('claude-');
}

/**
 * Legacy completions ended with Claude 2. Every Claude since version 3 sees images; other models do where the
 * configuration says so.
 */
export function capabilitiesOf({ id }: ClaudeModel): Capabilities {
  return { chat: true, completion: false, function_calling: true, vision: isClaude(id), embeddings: false, json_mode: true };
}

/**
 * An image counts 4,784 tokens at most (platform.claude.com/docs/en/build-with-claude/vision), 1,600 before Claude Opus
 * 4.7. A file may have 600 pages of up to 3,000 tokens of text and an image each, which is more than any context.
 */
export function ceilingsOf({ id, contextLength }: ClaudeModel): InputCeilings {
  return isClaude(id) ? { image: 4_784, file: contextLength } : {};
}

/** The parameters that the model accepts of those that the format has, and the vendor's own. */
export function parametersOf({ sampling, traits }: ClaudeModel): string[] {
  const refused = new Set<string>([
    ...(traits.thinking === 'none' ? ['reasoning_effort', 'thinking'] : []),
    ...(sampling ? [] : ['temperature', 'top_p', 'top_k']),
  ]);
  return [...spokenBy('anthropic-messages'), 'cache_control', 'thinking', 'top_k'].filter((name) => !refused.has(name));
}
