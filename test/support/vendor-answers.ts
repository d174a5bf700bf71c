import { said } from '../../src/wire/testing/said.js';

/** What a vendor answers in the specs that look at what it was asked: "Noon.", 5 tokens for 5, by wire format. */
const usage = { prompt_tokens: 5, completion_tokens: 5, total_tokens: 10 };

export const noonChat = { choices: [{ index: 0, message: said.assistant('Noon.'), finish_reason: 'stop' }], usage };
export const noonMessage = {
  type: 'message',
  role: 'assistant',
  content: [said.text('Noon.')],
  stop_reason: 'end_turn',
  usage: { input_tokens: 5, output_tokens: 5 },
};
