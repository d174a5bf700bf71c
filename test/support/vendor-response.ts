/**
 * A vendor's answers in OpenAI's Responses, streamed and whole, as the vendor's documents show them
 * (developers.openai.com/api/reference, Streaming events): with ids of the vendor's, numbers and padding.
 */

type Item = Record<string, unknown> & { readonly type: string };

export const VENDOR_ID = 'vendor0a1b2c';

const usage = {
  input_tokens: 200,
  input_tokens_details: { cached_tokens: 50 },
  output_tokens: 100,
  output_tokens_details: { reasoning_tokens: 40 },
  total_tokens: 300,
};

export const text = (said: string, more: object = {}): Item => ({
  type: 'message',
  id: `msg_${VENDOR_ID}`,
  status: 'completed',
  role: 'assistant',
  content: [{ type: 'output_text', text: said, annotations: [], logprobs: [] }],
  ...more,
});
export const refusal = (said: string): Item => ({ ...text(''), content: [{ type: 'refusal', refusal: said }] });
export const thought = (...summary: readonly string[]): Item => ({
  type: 'reasoning',
  id: `rs_${VENDOR_ID}`,
  summary: summary.map((said) => ({ type: 'summary_text', text: said })),
  encrypted_content: 'gAAAAABvendor',
});
export const called = (call_id: string, name: string, given: object): Item => ({
  type: 'function_call',
  id: `fc_${VENDOR_ID}_${call_id}`,
  status: 'completed',
  call_id,
  name,
  arguments: JSON.stringify(given),
});
export const customCalled = (call_id: string, name: string, input: string): Item => ({
  type: 'custom_tool_call',
  id: `ctc_${VENDOR_ID}`,
  status: 'completed',
  call_id,
  name,
  input,
});

/** The end of a response beside its items: `status`, `error`, `incomplete_details`. */
export type Ending = Record<string, unknown>;

export function wholeResponse(output: readonly Item[], ending: Ending = {}): string {
  return JSON.stringify(responseOf(output, ending));
}

export function streamedResponse(output: readonly Item[], ending: Ending = {}): string {
  const { events, say } = eventLog();
  const begun = { ...responseOf([], {}), status: 'in_progress', usage: null };
  say('response.created', { response: begun });
  say('response.in_progress', { response: begun });
  for (const [output_index, item] of output.entries()) sayItem(item, { output_index, item_id: item['id'] }, say);
  const response = responseOf(output, ending);
  say(`response.${response['status'] as string}`, { response });
  return events.join('');
}

function responseOf(output: readonly Item[], ending: Ending): Record<string, unknown> {
  return {
    id: `resp_${VENDOR_ID}`,
    object: 'response',
    created_at: 1_790_000_000,
    status: 'completed',
    error: null,
    incomplete_details: null,
    model: 'gpt-loopback-2026',
    output,
    previous_response_id: null,
    service_tier: 'default',
    store: false,
    usage,
    ...ending,
  };
}

type Say = (type: string, members: object) => void;

function eventLog(): { events: string[]; say: Say } {
  const events: string[] = [];
  const say: Say = (type, members) =>
    void events.push(`event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: events.length, ...members })}\n\n`);
  return { events, say };
}

const pieces = (said: string): string[] => said.match(/.{1,7}/gsu) ?? [];

function sayItem(item: Item, place: { output_index: number; item_id: unknown }, say: Say): void {
  const { output_index } = place;
  const empty = { content: [], summary: [], arguments: '', input: '' };
  const kept = Object.fromEntries(Object.entries(empty).filter(([name]) => name in item));
  say('response.output_item.added', { output_index, item: { ...item, ...kept, status: 'in_progress', encrypted_content: undefined } });
  const grow = (type: string, said: string, more: object = {}): void => {
    for (const delta of pieces(said)) say(type, { ...place, ...more, delta, obfuscation: 'x1' });
  };
  for (const [summary_index, part] of ((item['summary'] ?? []) as { text: string }[]).entries()) {
    say('response.reasoning_summary_part.added', { ...place, summary_index, part: { type: 'summary_text', text: '' } });
    grow('response.reasoning_summary_text.delta', part.text, { summary_index });
    say('response.reasoning_summary_text.done', { ...place, summary_index, text: part.text });
    say('response.reasoning_summary_part.done', { ...place, summary_index, part });
  }
  for (const [content_index, part] of ((item['content'] ?? []) as Record<string, string>[]).entries()) {
    say('response.content_part.added', { ...place, content_index, part: { ...part, text: '' } });
    if (part['type'] === 'refusal') grow('response.refusal.delta', part['refusal']!, { content_index });
    else grow('response.output_text.delta', part['text']!, { content_index, logprobs: [] });
    for (const [annotation_index, annotation] of ((part['annotations'] ?? []) as unknown as object[]).entries())
      say('response.output_text.annotation.added', { ...place, content_index, annotation_index, annotation });
    say('response.content_part.done', { ...place, content_index, part });
  }
  if (item.type === 'function_call') grow('response.function_call_arguments.delta', item['arguments'] as string);
  if (item.type === 'custom_tool_call') grow('response.custom_tool_call_input.delta', item['input'] as string);
  if (item.type.endsWith('web_search_call'))
    for (const step of ['in_progress', 'searching', 'completed']) say(`response.web_search_call.${step}`, place);
  say('response.output_item.done', { output_index, item });
}
