import type { ModelFacts } from './model-facts.js';

interface KnownModel {
  /**
   * Matches the name after its last slash, in lower case and without what follows a colon. The first row that matches
   * counts.
   */
  readonly name: RegExp;
  /** Tokens. */
  readonly context?: number;
  /** Output tokens; absent where the vendor sets no limit of its own. */
  readonly output?: number;
  /** True where the model sees images. */
  readonly vision?: true;
  /** False where the model calls no tools. */
  readonly tools?: false;
  /** False where the model takes no `reasoning_effort`. */
  readonly reasoning?: false;
}

/**
 * What lists and data sets of prices leave out: output limits of the vendor's own service, and what a model can do
 * wherever it runs. Facts of November 2026 from the vendors' model pages (developers.openai.com, docs.x.ai,
 * api-docs.deepseek.com, docs.cohere.com, docs.perplexity.ai) and from model cards of open weights.
 */
const knownModels: readonly KnownModel[] = [
  { name: /^gpt-5(\.\d)?-chat/, context: 128_000, output: 16_384, vision: true, reasoning: false },
  { name: /^gpt-5\.4-(mini|nano)/, context: 400_000, output: 128_000, vision: true },
  { name: /^gpt-(6|5\.[4-9])/, context: 1_050_000, output: 128_000, vision: true },
  { name: /^gpt-5/, context: 400_000, output: 128_000, vision: true },
  { name: /^gpt-4\.1/, context: 1_047_576, output: 32_768, vision: true, reasoning: false },
  { name: /^gpt-4o-2024-05-13/, context: 128_000, output: 4_096, vision: true, reasoning: false },
  { name: /^(chat)?gpt-4o/, context: 128_000, output: 16_384, vision: true, reasoning: false },
  { name: /^gpt-4-turbo/, context: 128_000, output: 4_096, vision: true, reasoning: false },
  { name: /^gpt-4/, context: 8_192, output: 8_192, reasoning: false },
  { name: /^gpt-3\.5-turbo-instruct/, context: 4_096, output: 4_096 },
  { name: /^gpt-3\.5/, context: 16_385, output: 4_096, reasoning: false },
  { name: /^(davinci|babbage)-002/, context: 16_384, output: 16_384 },
  { name: /^o3-mini/, context: 200_000, output: 100_000 },
  { name: /^o\d/, context: 200_000, output: 100_000, vision: true },
  { name: /^gpt-oss/, context: 131_072, output: 65_536 },
  { name: /^grok-4\.[56]/, context: 500_000, vision: true },
  { name: /^grok-4\.(20|3)/, context: 1_000_000, vision: true },
  { name: /^grok-(build|code)/, context: 256_000 },
  { name: /^grok-4(-1)?-fast/, context: 2_000_000, vision: true },
  { name: /^grok-4/, context: 256_000, vision: true },
  { name: /^grok-/, context: 131_072 },
  { name: /^deepseek-(flash|v4|chat|reasoner)/, context: 1_000_000, output: 384_000 },
  { name: /^sonar-pro/, context: 200_000, output: 8_192, vision: true, tools: false, reasoning: false },
  { name: /^sonar-reasoning/, context: 128_000, vision: true, tools: false },
  { name: /^sonar-deep-research/, context: 128_000, tools: false },
  { name: /^sonar/, context: 128_000, tools: false, reasoning: false },
  { name: /^command-a-plus/, context: 128_000, output: 64_000, vision: true },
  { name: /^command-a-reasoning/, context: 256_000, output: 32_000 },
  { name: /^command-a-vision/, context: 128_000, output: 8_000, vision: true, tools: false, reasoning: false },
  { name: /^command-a/, context: 256_000, output: 8_000, reasoning: false },
  { name: /^command-r/, context: 128_000, output: 4_000, reasoning: false },
  { name: /^(codestral|devstral|open-mi|ministral)/, reasoning: false },
  { name: /^mistral-(small|medium|large)-(2503|2505|2506|2508|2512|2603|2604|latest)/, vision: true },
  { name: /^pixtral/, vision: true, reasoning: false },
  { name: /^(meta-)?llama-?(4|3\.2-(11|90)b)/, vision: true, reasoning: false },
  { name: /^(meta-)?llama/, reasoning: false },
  { name: /^gemma-?(3n|[12])/, reasoning: false },
  { name: /^gemma-?[3-9]/, vision: true },
  {
    name: /qwen.*-?vl|^(llava|internvl|molmo|moondream|minicpm-v)|^glm-[\d.]+v|^phi-4-multimodal|^kimi-k(2[.p][5-9]|[3-9])|^minimax-m[3-9]/,
    vision: true,
  },
  { name: /^qwen-?2/, reasoning: false },
];

/** Names of models that reason before they answer, all of them or when they are asked to. */
const reasoners =
  /^(o\d|gpt-oss|gpt-[5-9](?!.*chat)|grok-(3-mini|[4-9]|build|code)(?!.*non-reasoning)|deepseek-(r\d|v[3-9]\.[1-9]|v[4-9]|flash|reasoner)|qwq|qwen-?[3-9]|glm-(4\.[5-9]|[5-9])|kimi-k(2[.p][5-9]|[3-9])|minimax-m|magistral|sonar-(reasoning|deep)|command-a-(reasoning|plus)|gemma-?[4-9]|nemotron)|thinking|(?<!non-)reason(er|ing)/;

/** @param limits whether the vendor's own limits apply, which a server elsewhere may set otherwise */
export function knownFacts(upstreamModel: string, limits: boolean): ModelFacts | undefined {
  const name =
    upstreamModel
      .slice(upstreamModel.lastIndexOf('/') + 1)
      .toLowerCase()
      .split(':', 1)[0] ?? '';
  const known = knownModels.find((model) => model.name.test(name));
  const reasoning = reasoners.test(name);
  if (!known) return reasoning ? { reasoning } : undefined;
  return {
    ...(limits && known.context && { contextLength: known.context }),
    ...(limits && known.output && { maxTokens: known.output }),
    capabilities: { ...(known.vision && { vision: true }), ...(known.tools === false && { function_calling: false }) },
    ...(known.reasoning === false && { without: ['reasoning_effort'] as const }),
    ...(reasoning && { reasoning }),
  };
}
