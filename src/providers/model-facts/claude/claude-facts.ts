import { type Capabilities, chats } from '../../../wire/model.js';
import type { InputCeilings } from '../../contract/model-provider.js';
import { spokenBy } from '../../contract/parameters.js';
import type { ModelTraits } from '../../protocols/anthropic-messages/model-traits.js';
import { type ClaudeModel, claudeModels, traitsByVersion } from './claude-models.js';

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

/** What vendors and their resellers put around the name of a model. */
const around = /^.*(?=claude-)|(?:[-@](?:\d{8}|latest|default))?(?:(?<=\d)-v\d+)?(?::\w+)*$/g;

const byId = new Map(claudeModels.map((model) => [identified(model.id).id, model]));

/**
 * Facts about a model by a vendor's name for it: Anthropic's, with or without the date of a snapshot, Vertex AI's, which
 * has it behind an at sign, or Bedrock's. What our list does not have, its version tells.
 */
export function factsOf(upstreamModel: string): ClaudeModel {
  const { id, version } = identified(upstreamModel);
  const known = byId.get(id);
  if (known) return known;
  const traits = isClaude(upstreamModel) ? traitsByVersion.findLast(([from]) => version >= from)![1] : commonTraits;
  return { id: upstreamModel, released: '1970-01-01', contextLength: 200_000, sampling: true, traits };
}

/** Whether our list has the model, or the model of the snapshot. */
export function isListed(upstreamModel: string): boolean {
  return byId.has(identified(upstreamModel).id);
}

/** 100 times the major number of a model's version, and its minor one; infinite where its name tells none. */
export function versionOf(upstreamModel: string): number {
  return identified(upstreamModel).version;
}

/** One id for all names of a model: `claude-sonnet-4` for `us.anthropic.claude-sonnet-4-20250514-v1:0`. */
function identified(name: string): { id: string; version: number } {
  const words = name.replace(around, '').split(/[-.]/);
  const isNumber = (word: string): boolean => /^v?\d{1,2}$/.test(word);
  const [major = Infinity, minor = 0] = words.filter(isNumber).map((word) => Number(word.replace('v', '')));
  const family = words.filter((word) => !isNumber(word));
  return { id: [...family, major, ...(minor ? [minor] : [])].join('-'), version: major * 100 + minor };
}

export function isClaude(name: string): boolean {
  return /(^|[./-])claude-/.test(name);
}

/**
 * Legacy completions ended with Claude 2. Every Claude since version 3 sees images; other models do where the
 * configuration says so.
 */
export function capabilitiesOf({ id }: ClaudeModel): Capabilities {
  return { ...chats, vision: isClaude(id) };
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
