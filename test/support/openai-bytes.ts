import type { Reply } from '../../src/providers/testing/loopback-upstream.js';

const usage = { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 };
const common = { id: 'x', created: 1, model: 'up' };

/** A provider's answer in JSON. */
export const jsonReply = (body: unknown, status = 200): Reply => ({
  status,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
});

const ONE_EACH = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };

/** A provider's answer to a chat that is not streamed. */
export const chatReply = (content: string, counted: object | undefined = ONE_EACH): Reply =>
  jsonReply({ choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }], usage: counted });

/** The body of a chat completion that is not streamed. */
export function wholeOf(content: string): string {
  const choices = [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }];
  return JSON.stringify({ ...common, object: 'chat.completion', choices, usage });
}

/** An event of a streamed chat completion for each list of choices. */
export function chatEvents(...events: readonly object[][]): string {
  return events.map((choices) => eventOf(choices)).join('');
}

/** The event stream of a chat completion. */
export function streamOf(content: string): string {
  return (
    chatEvents(
      [{ index: 0, delta: { role: 'assistant', content }, finish_reason: null }],
      [{ index: 0, delta: {}, finish_reason: 'stop' }],
    ) +
    eventOf([], { usage }) +
    'data: [DONE]\n\n'
  );
}

const eventOf = (choices: readonly object[], more: object = {}): string =>
  `data: ${JSON.stringify({ ...common, object: 'chat.completion.chunk', choices, ...more })}\n\n`;

/** What a provider in OpenAI's format answers to a chat. */
export function inOpenAiForm(streamed: boolean): Reply {
  return streamed
    ? { headers: { 'content-type': 'text/event-stream' }, body: streamOf('Ahoj') }
    : { headers: { 'content-type': 'application/json' }, body: wholeOf('Ahoj') };
}
