import type { StreamFormat } from '../../http/requests/stream-format.js';
import { JsonText } from '../../json/json-text.js';
import { asByteText, type ByteText, byteText } from '../../wire/byte-text.js';
import type { ErrorBody } from '../../wire/error.js';
import type { OutputItem, OutputMessage, ReasoningItem, ResponseEvent, ResponseObject } from '../../wire/response.js';

/** An event that has no number yet. */
export type ReplayStep = Omit<ResponseEvent, 'sequence_number'>;

/** How the events of stored responses are framed. A stream that breaks off tells nothing of its response. */
export const replayFormat: StreamFormat = {
  prefix: asByteText('event: '),
  done: asByteText(''),
  failed: ({ error }: ErrorBody) =>
    asByteText(
      `event: error\ndata: ${byteText(JSON.stringify({ type: 'error', code: error.code, message: error.message, param: null }))}\n\n`,
    ),
};

/** The payload of an event, made with other turns of the event loop in between. */
export async function replayedEvent(step: ReplayStep, sequence_number: number): Promise<ByteText> {
  const json = await new JsonText({ ...step, sequence_number }).bytes();
  return asByteText(`${step.type}\ndata: ${json.toString('latin1')}`);
}

/** The first events of any response. */
export function beginningOf(response: ResponseObject): ReplayStep[] {
  const nothing = { output: [], usage: null, error: null, incomplete_details: null, completed_at: null };
  const begun: ResponseObject = { ...response, status: 'in_progress', ...nothing };
  return ['response.created', 'response.in_progress'].map((type) => ({ type, response: begun }));
}

/** The events after those of a response that has ended: each text comes as one delta. */
export function* endingOf(response: ResponseObject): Generator<ReplayStep, void> {
  for (const [output_index, item] of response.output.entries()) {
    yield { type: 'response.output_item.added', output_index, item: emptied(item) };
    yield* partsOf(item, { item_id: item.id, output_index });
    yield { type: 'response.output_item.done', output_index, item };
  }
  // There is no event of this name for what was cancelled.
  const end = response.status === 'cancelled' ? 'incomplete' : response.status;
  yield { type: `response.${end}`, response };
}

interface Place {
  readonly item_id: string;
  readonly output_index: number;
}

function partsOf(item: OutputItem, place: Place): Iterable<ReplayStep> {
  switch (item.type) {
    case 'message':
      return messageParts(item, place);
    case 'reasoning':
      return reasoningParts(item, place);
    case 'function_call':
      return [
        { type: 'response.function_call_arguments.delta', ...place, delta: item.arguments },
        { type: 'response.function_call_arguments.done', ...place, name: item.name, arguments: item.arguments },
      ];
    case 'custom_tool_call':
      return [
        { type: 'response.custom_tool_call_input.delta', ...place, delta: item.input },
        { type: 'response.custom_tool_call_input.done', ...place, input: item.input },
      ];
    default:
      return [];
  }
}

function* messageParts({ content }: OutputMessage, item: Place): Generator<ReplayStep> {
  for (const [content_index, part] of content.entries()) {
    const place = { ...item, content_index };
    if (part.type === 'refusal') {
      yield { type: 'response.content_part.added', ...place, part: { ...part, refusal: '' } };
      yield { type: 'response.refusal.delta', ...place, delta: part.refusal };
      yield { type: 'response.refusal.done', ...place, refusal: part.refusal };
    } else {
      const { text, logprobs } = part;
      yield { type: 'response.content_part.added', ...place, part: { ...part, text: '', annotations: [], logprobs: [] } };
      yield { type: 'response.output_text.delta', ...place, delta: text, logprobs };
      for (const [annotation_index, annotation] of part.annotations.entries())
        yield { type: 'response.output_text.annotation.added', ...place, annotation_index, annotation };
      yield { type: 'response.output_text.done', ...place, text, logprobs };
    }
    yield { type: 'response.content_part.done', ...place, part };
  }
}

function* reasoningParts({ summary, content = [] }: ReasoningItem, item: Place): Generator<ReplayStep> {
  for (const [summary_index, part] of summary.entries()) {
    const place = { ...item, summary_index };
    yield { type: 'response.reasoning_summary_part.added', ...place, part: { ...part, text: '' } };
    yield { type: 'response.reasoning_summary_text.delta', ...place, delta: part.text };
    yield { type: 'response.reasoning_summary_text.done', ...place, text: part.text };
    yield { type: 'response.reasoning_summary_part.done', ...place, part };
  }
  for (const [content_index, part] of content.entries()) {
    const place = { ...item, content_index };
    yield { type: 'response.content_part.added', ...place, part: { ...part, text: '' } };
    yield { type: 'response.reasoning_text.delta', ...place, delta: part.text };
    yield { type: 'response.reasoning_text.done', ...place, text: part.text };
    yield { type: 'response.content_part.done', ...place, part };
  }
}

/** An item as it begins. */
function emptied(item: OutputItem): OutputItem {
  switch (item.type) {
    case 'message':
      return { ...item, status: 'in_progress', content: [] };
    case 'reasoning':
      return { id: item.id, type: 'reasoning', status: 'in_progress', summary: [] };
    case 'function_call':
      return { ...item, status: 'in_progress', arguments: '' };
    case 'custom_tool_call':
      return { ...item, status: 'in_progress', input: '' };
    default:
      return { ...item, status: 'in_progress' };
  }
}
