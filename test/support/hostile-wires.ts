import type fc from 'fast-check';
import { type HostileBody, hostileBody } from './hostile-bodies.js';
import { chatForm, COMPLETION, embeddingsForm, type Form, messagesForm, responsesForm } from './hostile-forms.js';
import { hostileInput, hostilePrompt } from './hostile-prompts.js';

/** How many bodies are looked at, by their megabytes. */
type Bodies = Readonly<Record<number, number>>;

export interface Wire {
  /** What is asked. */
  readonly what: string;
  readonly form: Form;
  /** Bodies of so many bytes; those of the form without it. */
  readonly bodies?: (bytes: number) => fc.Arbitrary<HostileBody>;
  /** What the provider is asked in. */
  readonly format: string;
  readonly entry: object;
  readonly base: string;
  /** @param body of the provider's request */
  readonly answer: (body: string) => object;
  /** To a chat, where what is asked has another answer. */
  readonly chatAnswer?: Wire['answer'];
  readonly cpu?: Bodies;
  readonly memory?: Bodies;
}

const chatAnswer = { choices: [{ index: 0, message: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop' }] };
const messageAnswer = {
  type: 'message',
  role: 'assistant',
  content: [{ type: 'text', text: 'Hi' }],
  stop_reason: 'end_turn',
  usage: { input_tokens: 1, output_tokens: 1 },
};
const chatCompletions = { format: 'chat completions', entry: {}, base: '/v1', answer: () => chatAnswer };
const anthropic = {
  format: "Anthropic's messages",
  entry: { type: 'anthropic', api_key: 'none' },
  base: '',
  answer: () => messageAnswer,
};
const geminiAnswer = {
  candidates: [{ index: 0, content: { parts: [{ text: 'Hi' }] }, finishReason: 'STOP' }],
  usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 },
};

/** One number for each input. */
function embeddingsOf(body: string): object {
  const { input } = JSON.parse(body) as { input: string | readonly unknown[] };
  const count = Array.isArray(input) && typeof input[0] !== 'number' ? input.length : 1;
  const data = Array.from({ length: count }, (_, index) => ({ object: 'embedding', index, embedding: [0.5] }));
  return { object: 'list', data, usage: { prompt_tokens: 1, total_tokens: 1 } };
}

/**
 * What is asked, what a provider is asked in, its entry and its answer; bodies by their megabytes: how many are looked
 * at for CPU, and how many for memory. Every wire has one long text anywhere.
 */
export const wires: readonly Wire[] = [
  {
    what: 'a legacy completion',
    form: { ...chatForm, path: COMPLETION },
    bodies: hostilePrompt,
    format: 'legacy completions',
    entry: {},
    base: '/v1',
    answer: () => ({ choices: [{ index: 0, text: 'Hi', finish_reason: 'stop' }] }),
    chatAnswer: () => chatAnswer,
    cpu: { 1: 15, 10: 16, 31: 12 },
    memory: { 10: 6, 31: 6 },
  },
  {
    what: 'a chat',
    form: chatForm,
    ...chatCompletions,
    cpu: { 1: 20, 10: 16, 31: 5 },
    memory: { 1: 6, 10: 6, 31: 5 },
  },
  {
    what: 'a chat',
    form: chatForm,
    ...anthropic,
    cpu: { 10: 6, 31: 2 },
    memory: { 10: 6, 31: 6 },
  },
  {
    what: 'a chat',
    form: chatForm,
    format: "Gemini's generateContent",
    entry: { type: 'gemini', api_key: 'none' },
    base: '',
    answer: () => geminiAnswer,
    cpu: { 10: 6, 31: 2 },
    memory: { 10: 6, 31: 6 },
  },
  {
    what: 'a chat',
    form: chatForm,
    format: "Ollama's chat",
    entry: { type: 'ollama' },
    base: '',
    answer: () => ({ message: { role: 'assistant', content: 'Hi' }, done: true, done_reason: 'stop', prompt_eval_count: 1, eval_count: 1 }),
  },
  {
    what: 'a chat',
    form: chatForm,
    format: "Cohere's chat",
    entry: { type: 'cohere', api_key: 'none' },
    base: '',
    answer: () => ({
      message: { role: 'assistant', content: [{ type: 'text', text: 'Hi' }] },
      finish_reason: 'COMPLETE',
      usage: { tokens: { input_tokens: 1, output_tokens: 1 } },
    }),
  },
  {
    what: 'a chat',
    form: chatForm,
    format: "Bedrock's converse, signed",
    entry: { type: 'bedrock', options: { region: 'eu-west-1', access_key_id: 'AKID', secret_access_key: 'secret of the key' } },
    base: '',
    answer: () => ({
      output: { message: { role: 'assistant', content: [{ text: 'Hi' }] } },
      stopReason: 'end_turn',
      usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 },
    }),
  },
  {
    what: 'a response',
    form: responsesForm,
    ...chatCompletions,
    cpu: { 10: 12, 31: 4 },
    memory: { 10: 6, 31: 3 },
  },
  {
    what: 'a response',
    form: responsesForm,
    ...anthropic,
    cpu: { 10: 6 },
  },
  {
    what: 'a message',
    form: messagesForm,
    ...chatCompletions,
    cpu: { 10: 12, 31: 4 },
    memory: { 10: 6, 31: 3 },
  },
  {
    what: 'a message',
    form: messagesForm,
    ...anthropic,
    format: "Anthropic's messages, as it came",
    cpu: { 10: 6 },
    memory: { 10: 3 },
  },
  {
    what: 'embeddings',
    form: embeddingsForm,
    bodies: hostileInput,
    format: 'the same form',
    entry: {},
    base: '/v1',
    answer: embeddingsOf,
    chatAnswer: () => chatAnswer,
    cpu: { 10: 8, 31: 3 },
    memory: { 10: 4 },
  },
];

export function bodiesOf({ form, bodies }: Wire, bytes: number): fc.Arbitrary<HostileBody> {
  return bodies?.(bytes) ?? hostileBody(bytes, form);
}
