import type { Reply } from '../../src/providers/testing/loopback-upstream.js';

const usage = { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 };
const common = { id: 'x', created: 1, model: 'up' };

/** The body of a chat completion that is not streamed. */
export function wholeOf(content: string): string {
  const choices = [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }];
  return JSON.stringify({ ...common, object: 'chat.completion', choices, usage });
}

/** The event stream of a chat completion. */
export function streamOf(content: string): string {
  const event = (choices: object[], more: object = {}) =>
    `data: ${JSON.stringify({ ...common, object: 'chat.completion.chunk', choices, ...more })}\n\n`;
  return (
    event([{ index: 0, delta: { role: 'assistant', content }, finish_reason: null }]) +
    event([{ index: 0, delta: {}, finish_reason: 'stop' }]) +
    event([], { usage }) +
    'data: [DONE]\n\n'
  );
}

/** What a provider in OpenAI's format answers to a chat. */
export function inOpenAiForm(streamed: boolean): Reply {
  return streamed
    ? { headers: { 'content-type': 'text/event-stream' }, body: streamOf('Ahoj') }
    : { headers: { 'content-type': 'application/json' }, body: wholeOf('Ahoj') };
}
