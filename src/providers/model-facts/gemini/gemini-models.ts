import type { ModelTraits } from '../../protocols/gemini-generate-content/model-traits.js';

/** The facts about a model that the API's own list does not tell. */
export interface GeminiModel {
  /** Day of release. */
  readonly released: string;
  /** Tokens. */
  readonly contextLength: number;
  /** Tokens, thinking included. */
  readonly maxTokens: number;
  /** US dollars per 1,000 tokens, each price from its day on. Thinking costs as much as output. */
  readonly prices: readonly { readonly from?: string; readonly prompt: string; readonly completion: string }[];
  readonly thinking: ModelTraits['thinking'];
  /** Whether `temperature`, `top_p` and `top_k` are honoured; Gemini 3.5 Flash-Lite, 3.6 and later ignore them. */
  readonly sampling: boolean;
}

const upToHigh = { levels: ['LOW', 'MEDIUM', 'HIGH'] } as const;
const upToXhigh = { levels: ['LOW', 'MEDIUM', 'HIGH', 'XHIGH'] } as const;
const fromMinimal = { levels: ['MINIMAL', 'LOW', 'MEDIUM', 'HIGH'] } as const;

/** The input and output limits of one request, which all models here share. */
const usual = { contextLength: 1_048_576, maxTokens: 65_536 } as const;

/**
 * Standard tier of the Gemini API as published on ai.google.dev (models, pricing, deprecations, whats-new pages),
 * prices checked against
 * @pydantic/genai-prices 0.1.8; read 2026-11-21. Left out: models that Google answers with another one (2.5 Pro and 2.5
 * Flash from 2026-12-01, 3.7 Flash), and models whose answer is not text.
 */
export const geminiModels: Readonly<Record<string, GeminiModel>> = {
  'gemini-4-neon': {
    ...usual,
    released: '2026-11-18',
    prices: [{ prompt: '0.003', completion: '0.015' }],
    thinking: upToXhigh,
    sampling: false,
  },
  'gemini-4-hydrogen': {
    ...usual,
    released: '2026-11-12',
    prices: [{ prompt: '0.0015', completion: '0.0075' }],
    thinking: upToXhigh,
    sampling: false,
  },
  'gemini-4-carbon': {
    ...usual,
    released: '2026-11-10',
    prices: [
      { prompt: '0.002', completion: '0.01' },
      { from: '2026-12-01', prompt: '0.004', completion: '0.02' },
    ],
    thinking: upToHigh,
    sampling: false,
  },
  'gemini-4-argon': {
    ...usual,
    released: '2026-10-13',
    prices: [
      { prompt: '0.002', completion: '0.01' },
      { from: '2026-12-01', prompt: '0.004', completion: '0.02' },
    ],
    thinking: upToHigh,
    sampling: false,
  },
  'gemini-3.8-flash': {
    ...usual,
    released: '2026-09-02',
    prices: [
      { prompt: '0.00075', completion: '0.00375' },
      { from: '2027-01-01', prompt: '0.0015', completion: '0.0075' },
    ],
    thinking: upToHigh,
    sampling: false,
  },
  'gemini-3.6-flash': {
    ...usual,
    released: '2026-07-21',
    prices: [
      { prompt: '0.00075', completion: '0.00375' },
      { from: '2027-01-01', prompt: '0.0015', completion: '0.0075' },
    ],
    thinking: fromMinimal,
    sampling: false,
  },
  'gemini-3.5-flash-lite': {
    ...usual,
    released: '2026-07-21',
    prices: [{ prompt: '0.0003', completion: '0.0025' }],
    thinking: fromMinimal,
    sampling: false,
  },
  'gemini-3.5-flash': {
    ...usual,
    released: '2026-05-19',
    prices: [{ prompt: '0.0015', completion: '0.009' }],
    thinking: fromMinimal,
    sampling: true,
  },
  'gemini-3.1-flash-lite': {
    ...usual,
    released: '2026-05-07',
    prices: [{ prompt: '0.00025', completion: '0.0015' }],
    thinking: fromMinimal,
    sampling: true,
  },
  'gemini-3.1-pro-preview': {
    ...usual,
    released: '2026-02-19',
    // The price of prompts over 200,000 tokens; up to there it is 0.002 and 0.012. A price here is one number, and must
    // not fall short of the cost.
    prices: [{ prompt: '0.004', completion: '0.018' }],
    thinking: upToHigh,
    sampling: true,
  },
  'gemini-3-flash-preview': {
    ...usual,
    released: '2025-12-17',
    prices: [{ prompt: '0.0005', completion: '0.003' }],
    thinking: fromMinimal,
    sampling: true,
  },
  'gemini-2.5-flash-lite': {
    ...usual,
    released: '2025-07-22',
    prices: [{ prompt: '0.0001', completion: '0.0004' }],
    thinking: { leastBudget: 0 },
    sampling: true,
  },
};
