export const CHAT = '/v1/chat/completions';
export const COMPLETION = '/v1/completions';

export interface Wire {
  readonly format: string;
  /** What is asked: chats without it. */
  readonly path?: string;
  readonly entry: object;
  readonly base: string;
  readonly answer: object;
  readonly cpu?: readonly (readonly [number, number])[];
  readonly memory?: readonly (readonly [number, number])[];
}

/**
 * What a provider is asked in, its entry and its answer; bodies by their megabytes: how many are looked at for CPU, and
 * how many for memory. Every wire has one long text anywhere.
 */
export const wires: readonly Wire[] = [
  {
    format: 'legacy completions',
    path: COMPLETION,
    entry: {},
    base: '/v1',
    answer: { choices: [{ index: 0, message: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop' }] },
    cpu: [
      [1, 15],
      [10, 16],
      [31, 12],
    ],
    memory: [
      [10, 6],
      [31, 6],
    ],
  },
  {
    format: 'chat completions',
    entry: {},
    base: '/v1',
    answer: { choices: [{ index: 0, message: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop' }] },
    cpu: [
      [1, 20],
      [10, 16],
      [31, 5],
    ],
    memory: [
      [1, 6],
      [10, 6],
      [31, 5],
    ],
  },
  {
    format: "Anthropic's messages",
    entry: { type: 'anthropic', api_key: 'none' },
    base: '',
    answer: {
      type: 'message',
      role: 'assistant',
      content: [{ type: 'text', text: 'Hi' }],
      stop_reason: 'end_turn',
      usage: { input_tokens: 1, output_tokens: 1 },
    },
    cpu: [
      [10, 6],
      [31, 2],
    ],
    memory: [
      [10, 6],
      [31, 6],
    ],
  },
  {
    format: "Gemini's generateContent",
    entry: { type: 'gemini', api_key: 'none' },
    base: '',
    answer: {
      candidates: [{ index: 0, content: { parts: [{ text: 'Hi' }] }, finishReason: 'STOP' }],
      usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 },
    },
    cpu: [
      [10, 6],
      [31, 2],
    ],
    memory: [
      [10, 6],
      [31, 6],
    ],
  },
  {
    format: "Ollama's chat",
    entry: { type: 'ollama' },
    base: '',
    answer: { message: { role: 'assistant', content: 'Hi' }, done: true, done_reason: 'stop', prompt_eval_count: 1, eval_count: 1 },
  },
  {
    format: "Cohere's chat",
    entry: { type: 'cohere', api_key: 'none' },
    base: '',
    answer: {
      message: { role: 'assistant', content: [{ type: 'text', text: 'Hi' }] },
      finish_reason: 'COMPLETE',
      usage: { tokens: { input_tokens: 1, output_tokens: 1 } },
    },
  },
  {
    format: "Bedrock's converse, signed",
    entry: { type: 'bedrock', options: { region: 'eu-west-1', access_key_id: 'AKID', secret_access_key: 'secret of the key' } },
    base: '',
    answer: {
      output: { message: { role: 'assistant', content: [{ text: 'Hi' }] } },
      stopReason: 'end_turn',
      usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 },
    },
  },
];
