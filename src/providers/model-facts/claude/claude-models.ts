import type { ProviderPrice } from '../../contract/model-provider.js';
import type { ModelTraits } from '../../protocols/anthropic-messages/model-traits.js';

/** One model of the vendor, as the vendor's documents describe it. */
export interface ClaudeModel {
  readonly id: string;
  /** Day of release, ISO 8601. */
  readonly released: string;
  /** Tokens. */
  readonly contextLength: number;
  /** US dollars per 1,000 tokens. Absent where no document of the vendor names it. */
  readonly price?: ProviderPrice;
  /** Whether the model accepts `temperature`, `top_p` and `top_k`; models after Claude Opus 4.6 refuse them. */
  readonly sampling: boolean;
  readonly traits: ModelTraits;
}

/** The traits from Claude Opus 5.5 and Fable 5.1 on: thinking cannot be switched off, and no tool can be required. */
const newestTraits: ModelTraits = {
  maxTokens: 128_000,
  thinking: 'adaptive',
  thinkingOff: 'never',
  efforts: ['low', 'medium', 'high', 'xhigh', 'max'],
  forcedTools: false,
  structuredOutputs: true,
  systemTurns: true,
};

const fifth: ModelTraits = { ...newestTraits, forcedTools: true, thinkingOff: 'disabled' };
const sixthOfFourth: ModelTraits = {
  ...fifth,
  thinking: 'both',
  efforts: ['low', 'medium', 'high', 'max'],
  thinkingOff: 'absent',
  systemTurns: false,
  oneSampler: true,
};
const fifthOfFourth: ModelTraits = { ...sixthOfFourth, maxTokens: 64_000, thinking: 'budget', efforts: [] };
/** From Claude Opus 4.1 on, which takes one of `temperature` and `top_p`. */
const firstOfFourth: ModelTraits = { ...fifthOfFourth, structuredOutputs: false };
const fourth: ModelTraits = { ...firstOfFourth, oneSampler: false };
const firstOpus: ModelTraits = { ...fourth, maxTokens: 32_000 };
const third: ModelTraits = { ...fourth, maxTokens: 4_096, thinking: 'none' };

/**
 * Traits of models that the list below does not have, by the first version that has them: 100 times its major number,
 * and its minor one. The last row is of models that no list knows: the vendor itself refuses what they do not take.
 */
export const traitsByVersion: readonly (readonly [from: number, traits: ModelTraits])[] = [
  [0, third],
  [305, { ...third, maxTokens: 8_192 }],
  [307, fourth],
  [401, firstOfFourth],
  [405, fifthOfFourth],
  [406, { ...fifth, maxTokens: 200_000, thinking: 'both', unlisted: true, defaultTokens: third.maxTokens }],
];

/**
 * Facts of 21 November 2026. Prices, limits and thinking from platform.claude.com/docs (model pages, migration guides,
 * effort, preserved thinking), checked against @pydantic/genai-prices 0.1.8 and @anthropic-ai/sdk 1.11.0. Left out: the
 * Mythos line, which is by invitation. The public data set's prices, which have those of prompt caching, count before
 * these.
 */
export const claudeModels: readonly ClaudeModel[] = [
  // The vendor's client library names it; its price is known from resellers only.
  { id: 'claude-fable-5-2', released: '2026-11-09', contextLength: 1_000_000, sampling: false, traits: newestTraits },
  {
    id: 'claude-fable-5-1',
    released: '2026-09-01',
    contextLength: 1_000_000,
    price: { prompt: '0.01', completion: '0.05' },
    sampling: false,
    traits: newestTraits,
  },
  {
    id: 'claude-opus-5-5',
    released: '2026-09-22',
    contextLength: 1_000_000,
    price: { prompt: '0.004', completion: '0.02' },
    sampling: false,
    traits: newestTraits,
  },
  {
    id: 'claude-sonnet-5-5',
    released: '2026-09-28',
    contextLength: 1_000_000,
    price: { prompt: '0.002', completion: '0.01' },
    sampling: false,
    traits: { ...newestTraits, thinkingOff: 'between_tools' },
  },
  {
    id: 'claude-haiku-5-5',
    released: '2026-10-07',
    contextLength: 1_000_000,
    // The price of prompts over 100,000 tokens; up to there it is a fifth. A price here is one number, and must not
    // fall short of the cost.
    price: { prompt: '0.0005', completion: '0.0025' },
    sampling: false,
    traits: fifth,
  },
  {
    id: 'claude-fable-5',
    released: '2026-06-09',
    contextLength: 1_000_000,
    price: { prompt: '0.01', completion: '0.05' },
    sampling: false,
    traits: { ...fifth, thinkingOff: 'never' },
  },
  {
    id: 'claude-opus-5',
    released: '2026-07-24',
    contextLength: 1_000_000,
    price: { prompt: '0.005', completion: '0.025' },
    sampling: false,
    traits: fifth,
  },
  {
    id: 'claude-sonnet-5',
    released: '2026-06-30',
    contextLength: 1_000_000,
    price: { prompt: '0.002', completion: '0.01' },
    sampling: false,
    traits: { ...fifth, systemTurns: false },
  },
  {
    id: 'claude-opus-4-8',
    released: '2026-05-28',
    contextLength: 1_000_000,
    price: { prompt: '0.005', completion: '0.025' },
    sampling: false,
    traits: { ...fifth, thinkingOff: 'absent' },
  },
  {
    id: 'claude-opus-4-7',
    released: '2026-04-16',
    contextLength: 1_000_000,
    price: { prompt: '0.005', completion: '0.025' },
    sampling: false,
    traits: { ...fifth, thinkingOff: 'absent', systemTurns: false },
  },
  {
    id: 'claude-opus-4-6',
    released: '2026-02-05',
    contextLength: 1_000_000,
    price: { prompt: '0.005', completion: '0.025' },
    sampling: true,
    traits: sixthOfFourth,
  },
  {
    id: 'claude-sonnet-4-6',
    released: '2026-02-17',
    contextLength: 1_000_000,
    price: { prompt: '0.003', completion: '0.015' },
    sampling: true,
    traits: sixthOfFourth,
  },
  {
    id: 'claude-opus-4-5',
    released: '2025-11-24',
    contextLength: 200_000,
    price: { prompt: '0.005', completion: '0.025' },
    sampling: true,
    traits: fifthOfFourth,
  },
  {
    id: 'claude-haiku-4-5',
    released: '2025-10-15',
    contextLength: 200_000,
    price: { prompt: '0.001', completion: '0.005' },
    sampling: true,
    traits: fifthOfFourth,
  },
  {
    id: 'claude-sonnet-4-5',
    released: '2025-09-29',
    contextLength: 200_000,
    price: { prompt: '0.003', completion: '0.015' },
    sampling: true,
    traits: fifthOfFourth,
  },
  {
    id: 'claude-opus-4-1',
    released: '2025-08-05',
    contextLength: 200_000,
    price: { prompt: '0.015', completion: '0.075' },
    sampling: true,
    traits: { ...firstOpus, oneSampler: true },
  },
  {
    id: 'claude-opus-4-0',
    released: '2025-05-22',
    contextLength: 200_000,
    price: { prompt: '0.015', completion: '0.075' },
    sampling: true,
    traits: firstOpus,
  },
  {
    id: 'claude-sonnet-4-0',
    released: '2025-05-22',
    contextLength: 200_000,
    price: { prompt: '0.003', completion: '0.015' },
    sampling: true,
    traits: fourth,
  },
];
