import type { ProviderModel } from '../contract/model-provider.js';
import { incapable } from '../../wire/model.js';
import { rerankModel } from '../model-facts/rerank-models.js';
import { DIMENSIONS } from './embedding/word-space.js';
import type { Fault } from './fault.js';
import { IMAGE_TOKENS } from './response/images.js';

const shared = [
  'temperature',
  'top_p',
  'n',
  'stop',
  'seed',
  'max_tokens',
  'presence_penalty',
  'frequency_penalty',
  'logit_bias',
  'logprobs',
  'user',
];
const chatOnly = ['top_logprobs', 'tools', 'tool_choice', 'parallel_tool_calls', 'response_format'];
const completionOnly = ['suffix', 'echo'];

type Operations = { chat: boolean; completion: boolean; vision?: boolean };

/** The corpus was first complete on the 1st of March 2026. */
const CREATED = Date.UTC(2026, 2, 1) / 1000;

/** One model of the sandbox. All share one language model; they differ in operations, price and simulated faults. */
export interface SandboxModel extends ProviderModel {
  readonly fault?: Fault;
  /** Whether it thinks before it answers: always, or for requests that set an effort. Absent: never. */
  readonly reasoning?: 'always' | 'asked';
}

function model(id: string, { chat, completion, vision = false }: Operations, more: Partial<SandboxModel> = {}): SandboxModel {
  return {
    id,
    created: CREATED,
    price: { prompt: '0.0005', completion: '0.0015' },
    contextLength: 8192,
    maxTokens: 4096,
    capabilities: { ...incapable, chat, completion, function_calling: chat, vision, json_mode: chat },
    parameters: [
      ...shared,
      ...(chat ? chatOnly : []),
      ...(completion ? completionOnly : []),
      ...(more.reasoning ? ['reasoning_effort'] : []),
    ],
    inputModalities: vision ? ['text', 'image'] : ['text'],
    ...(vision ? { inputCeilings: { image: IMAGE_TOKENS } } : {}),
    outputModalities: ['text'],
    tokenIdPrompts: completion,
    billsAborted: false,
    ...more,
  };
}

/** For programs that send whole files, and ask for as many tokens as they may need. */
const long = { contextLength: 131_072, maxTokens: 32_768, created: Date.UTC(2026, 10, 1) / 1000 };
const both = { chat: true, completion: true };
const faulty = (id: string, fault: Fault) => model(id, both, { fault, simulated: true });

export const sandboxModels: readonly SandboxModel[] = [
  model('sandbox-chat', { chat: true, completion: false }),
  model('sandbox-text', { chat: false, completion: true }, { price: { prompt: '0.0002', completion: '0.0004' } }),
  model('sandbox-omni', both, { price: { prompt: '0.001', completion: '0.003' } }),
  model('sandbox-vision', { chat: true, completion: false, vision: true }, long),
  model('sandbox-reasoning', { chat: true, completion: false }, { ...long, reasoning: 'always' }),
  model('sandbox-agent', { chat: true, completion: false, vision: true }, { ...long, reasoning: 'asked' }),
  {
    id: 'sandbox-embedding',
    created: CREATED,
    price: { prompt: '0.00002', completion: '0' },
    contextLength: 8192,
    maxTokens: 8192,
    capabilities: { ...incapable, embeddings: true },
    embeddings: { dimensions: DIMENSIONS, tokenIds: true },
    parameters: ['dimensions', 'user'],
    inputModalities: ['text'],
    outputModalities: ['embeddings'],
    billsAborted: false,
  },
  {
    id: 'sandbox-rerank',
    created: long.created,
    price: { prompt: '0.00002', completion: '0' },
    contextLength: 8192,
    maxTokens: 8192,
    ...rerankModel({}),
    billsAborted: false,
  },
  model('sandbox-retired', both, {
    created: Date.UTC(2025, 8, 1) / 1000,
    status: { active: false, message: 'Retired; use sandbox-omni' },
  }),
  faulty('sandbox-rate-limited', {
    kind: 'rate_limited',
    status: 429,
    retryAfterMs: 2_000,
    message: 'Rate limit reached for sandbox-rate-limited',
  }),
  faulty('sandbox-overloaded', { kind: 'overloaded', status: 503, message: 'sandbox-overloaded is overloaded' }),
  faulty('sandbox-unavailable', { kind: 'model_unavailable', status: 404, message: 'sandbox-unavailable is not there' }),
  faulty('sandbox-unreachable', { kind: 'unreachable', message: 'connect ECONNREFUSED' }),
  faulty('sandbox-timeout', { kind: 'timeout', message: 'No answer in time' }),
  faulty('sandbox-bad-gateway', { kind: 'bad_response', status: 200, message: 'The answer is not JSON' }),
  faulty('sandbox-unauthorized', { kind: 'authentication', status: 401, message: 'Invalid upstream key' }),
  faulty('sandbox-quota', { kind: 'insufficient_quota', status: 429, message: 'The upstream account has no quota left' }),
  faulty('sandbox-context-overflow', {
    kind: 'context_length_exceeded',
    status: 400,
    message: "This model's maximum context length is 8192 tokens, and the prompt leaves no room for an answer",
  }),
  faulty('sandbox-refused', { kind: 'content_filtered', status: 400, message: 'The prompt was refused by the content filter' }),
  faulty('sandbox-slow', { kind: 'slow', firstChunkMs: 5_000 }),
  faulty('sandbox-stall', { kind: 'stall', afterChunks: 5 }),
  faulty('sandbox-cut', { kind: 'cut', afterChunks: 5, message: 'The stream ended before the answer did' }),
];
