import type { ByteText } from '../../../wire/byte-text.js';
import type { Delta } from '../../../wire/chat-completion.js';
import type { GenerationChunk } from '../../../wire/generation.js';
import type { ProviderError } from '../../provider-error.js';
import type { ChunkObserver } from '../../pushed-chunks.js';
import type { ResponseDecoder } from '../response-decoder.js';
import { eventObject } from '../event-object.js';
import { EventTemplates } from '../event-templates.js';
import { isObject, type JsonObject } from '../../../wire/json-object.js';
import { argumentsEnds, type RunEnds, textEnds } from '../text-run.js';
import type { UpstreamFailure } from '../upstream-error.js';
import { MessagesTranslator } from './translator.js';
import { messagesError, inBandMessagesError } from './error.js';
import type { MessageEvent } from './wire.js';

/** Where the text of a delta stands, by its type. */
const fields: Readonly<Record<string, 'text' | 'thinking' | 'partial_json'>> = {
  text_delta: 'text',
  thinking_delta: 'thinking',
  input_json_delta: 'partial_json',
};

/** An event that is one piece of one block's text. */
interface TextEvent {
  readonly event: MessageEvent;
  readonly field: string;
  readonly ends: RunEnds;
}

/** One answer of Anthropic's Messages. */
export class MessagesDecoder implements ResponseDecoder {
  readonly #translator: MessagesTranslator;
  readonly #templates = new EventTemplates<TextEvent>();

  /** @param jsonTool the input of JSON_TOOL is the answer's content */
  constructor(
    jsonTool: boolean,
    private readonly secrets: readonly string[],
  ) {
    this.#translator = new MessagesTranslator(jsonTool);
  }

  get ended(): boolean {
    return this.#translator.ended;
  }

  refused(failure: UpstreamFailure): ProviderError {
    return messagesError(failure);
  }

  whole(body: JsonObject): GenerationChunk {
    if (isError(body)) throw inBandMessagesError(JSON.stringify(body), this.secrets);
    return this.#translator.whole(body);
  }

  event(name: string, data: string): GenerationChunk | undefined {
    const event = eventObject(data);
    if (isError(event)) throw inBandMessagesError(data, this.secrets);
    // A block may begin again under another's index.
    if (event['type'] === 'content_block_start') this.#templates.clear();
    const chunk = this.#translator.event(event);
    if (chunk) this.#learn(name, data, event, chunk);
    return chunk;
  }

  run(bytes: ByteText, position: number, sink: Pick<ChunkObserver, 'next'>): number {
    const found = this.#templates.run(bytes, position);
    if (!found) return position;
    const { event, field, ends } = found.known;
    const { text, literals, end } = found.run;
    const delta = this.#translator.event({ ...event, delta: { ...event.delta, [field]: text } })?.choices[0]?.delta;
    // The block has ended.
    if (!delta) return position;
    sink.next({ choices: [{ index: 0, delta, logprobs: null, finish_reason: null }], run: { ...ends, literals } });
    return end;
  }

  end(): readonly GenerationChunk[] {
    return [...this.#translator.end()];
  }

  #learn(name: string, data: string, event: MessageEvent, { choices }: GenerationChunk): void {
    const field = typeof event.delta?.type === 'string' ? fields[event.delta.type] : undefined;
    const ends = event.type === 'content_block_delta' && choices[0]?.delta && endsOf(choices[0].delta);
    if (field && ends)
      this.#templates.learn(name, data, event as JsonObject, [{ kind: 'text', path: ['delta', field] }], { event, field, ends });
  }
}

/** @returns undefined for a delta that is more than one text's piece */
function endsOf(delta: Delta): RunEnds | undefined {
  const [name, ...others] = Object.keys(delta);
  if (others.length > 0) return undefined;
  if (name === 'content' || name === 'reasoning_content') return textEnds(0, name);
  return name === 'tool_calls' ? argumentsEnds(0, delta.tool_calls![0]!.index) : undefined;
}

/** Compatible servers may leave the type out. */
function isError({ type, error }: JsonObject): boolean {
  return type === 'error' || isObject(error);
}
