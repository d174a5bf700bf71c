import { factsOf, versionOf } from '../model-facts/claude/claude-facts.js';
import type { ModelTraits } from '../protocols/anthropic-messages/model-traits.js';

/** What has to be known of a model: Anthropic's words for it fit all families. */
export interface BedrockTraits extends ModelTraits {
  readonly family: 'claude' | 'nova' | 'gpt-oss' | 'other';
  /** Tokens of prompt and output together. */
  readonly contextLength: number;
  /** Whether it takes `temperature`, `top_p` and `top_k`. */
  readonly sampling: boolean;
  readonly tools: boolean;
  readonly vision: boolean;
  /** Whether it takes cache points, and whether these may stand behind tools. */
  readonly cached: boolean;
  readonly cachedTools: boolean;
}

const other: BedrockTraits = {
  family: 'other',
  contextLength: 128_000,
  maxTokens: 4_096,
  sampling: true,
  thinking: 'none',
  thinkingOff: 'absent',
  efforts: [],
  forcedTools: false,
  structuredOutputs: false,
  systemTurns: false,
  tools: true,
  vision: false,
  cached: false,
  cachedTools: false,
};

/** Open models that answer by a schema (docs.aws.amazon.com/bedrock/latest/userguide/structured-output.html). */
const bySchema =
  /^(openai\.gpt-oss|qwen\.qwen3|deepseek\.v3|google\.gemma-3|minimax\.|moonshot|nvidia\.nemotron|mistral\.(ministral|mistral-large-3|magistral|voxtral))/;

const withoutTools =
  /^(amazon\.titan|deepseek\.r1|meta\.llama3-(8b|70b)|mistral\.(mistral-7b|mixtral)|ai21\.j2|cohere\.command-(light-)?text)/;

const withVision = /^(meta\.llama(4|3-2-(11|90)b)|mistral\.(pixtral|mistral-large-3|ministral)|google\.gemma-3|qwen\..*-vl)/;

/**
 * The traits of a model by the name of its foundation model, from the vendor's documents (model pages, extended and
 * adaptive thinking, structured output, prompt caching, Amazon Nova's guide; November 2026).
 */
export function traitsOf(foundationModel: string): BedrockTraits {
  if (foundationModel.startsWith('anthropic.claude')) return claudeTraits(foundationModel);
  if (foundationModel.startsWith('amazon.nova')) return novaTraits(foundationModel);
  const traits: BedrockTraits = {
    ...other,
    structuredOutputs: bySchema.test(foundationModel),
    tools: !withoutTools.test(foundationModel),
    vision: withVision.test(foundationModel),
    forcedTools: foundationModel.startsWith('mistral.mistral-large'),
  };
  return foundationModel.startsWith('openai.gpt-oss') ? { ...traits, family: 'gpt-oss', thinking: 'adaptive', maxTokens: 32_768 } : traits;
}

function novaTraits(name: string): BedrockTraits {
  const nova: BedrockTraits = {
    ...other,
    family: 'nova',
    contextLength: name.includes('micro') ? 128_000 : 300_000,
    maxTokens: 10_000,
    forcedTools: true,
    vision: !name.includes('micro'),
    cached: true,
  };
  return name.includes('nova-2') ? { ...nova, contextLength: 1_000_000, maxTokens: 64_000, thinking: 'adaptive' } : nova;
}

/** What Claude has in common wherever it is served. Converse has one system prompt. */
function claudeTraits(name: string): BedrockTraits {
  const { traits, contextLength, sampling } = factsOf(name);
  const version = versionOf(name);
  return {
    ...traits,
    family: 'claude',
    contextLength,
    sampling,
    systemTurns: false,
    tools: version >= 300,
    vision: version >= 300,
    cached: version >= 305,
    cachedTools: true,
  };
}
