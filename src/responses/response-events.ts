import type { StreamFormat } from '../http/requests/stream-format.js';
import type { StreamEvents } from '../inference/chunks/stream-events.js';
import { asByteText, type ByteText, byteText, concatBytes, flat } from '../wire/byte-text.js';
import type { FinishReason } from '../wire/chat-completion.js';
import type { ErrorBody } from '../wire/error.js';
import type { GenerationChoice, GenerationChunk, TextRun } from '../wire/generation.js';
import type { ResponseObject } from '../wire/response.js';
import type { StreamEvent } from '../wire/stream-event.js';
import type { GrowingText, OutputSteps } from './output/growing-text.js';
import { OutputItems } from './output/output-items.js';
import type { OutputClaim } from './output/output-claim.js';
import type { OutputOptions } from './output/output-options.js';
import { endOf, responseError } from './response.mapping.js';

const PREFIX = asByteText('event: ');
const EVENT_END = asByteText('\n\n');

type Emit = (event: StreamEvent) => void;

/**
 * The events of one streamed response: `event: type`, and the data with the same type and the number of the event in
 * the stream. The last is `response.completed`, `response.incomplete` or `response.failed`; nothing follows it. Text is
 * passed on in the provider's own JSON where the chunk has it.
 */
export class ResponseEvents implements StreamEvents, StreamFormat, OutputSteps {
  readonly prefix = PREFIX;
  readonly done = asByteText('');
  readonly #output: OutputItems;
  #number = 0;
  #finish: FinishReason = 'stop';
  #emit: Emit = () => undefined;
  /** The text of the last deltas; what comes before each of them, and between two. */
  #text: GrowingText | undefined;
  #head = asByteText('');
  #between = asByteText('');

  /** @param response as it is before its first item */
  constructor(
    private readonly response: ResponseObject,
    options: OutputOptions,
    claim: OutputClaim,
  ) {
    this.#output = new OutputItems(options, claim, this);
  }

  next(chunk: GenerationChunk, emit: Emit): void {
    const response = this.untilLast(chunk, emit);
    if (response) this.last(response, emit);
  }

  /**
   * Emits the events of a chunk, but not the last one of the stream.
   * @returns the response at its end, where only its event is missing
   */
  untilLast(chunk: GenerationChunk, emit: Emit): ResponseObject | undefined {
    this.#emit = emit;
    const { choices, usage } = chunk;
    if (this.#number === 0 && (choices.length > 0 || usage)) this.#beginning().forEach(emit);
    if (chunk.run && this.#run(chunk.run, choices[0])) return undefined;
    for (const choice of choices) {
      this.#output.add(choice);
      if (choice.finish_reason) this.#finish = choice.finish_reason;
    }
    return choices.length === 0 && usage ? endOf(this.response, this.#output, this.#finish, usage) : undefined;
  }

  last(response: ResponseObject, emit: Emit): void {
    emit(this.#event(`response.${response.status}`, { response }));
  }

  failed(error: ErrorBody): ByteText {
    this.#output.abandon();
    const events = this.#number === 0 ? this.#beginning() : [];
    const response = { ...this.response, status: 'failed', error: responseError(error), output: this.#output.items };
    events.push(this.#event('response.failed', { response }));
    return asByteText(events.map((event) => concatBytes(PREFIX, event, EVENT_END)).join(''));
  }

  step(type: string, members: Readonly<Record<string, unknown>>): void {
    this.#emit(this.#event(type, members));
  }

  delta(text: GrowingText, delta: string): void {
    if (text !== this.#text) this.#beginDeltas(text);
    this.#emit(asByteText(`${this.#head}${byteText(JSON.stringify(delta).slice(1, -1))}${numbered(this.#number++)}}`));
  }

  #beginning(): ByteText[] {
    return ['response.created', 'response.in_progress'].map((type) => this.#event(type, { response: this.response }));
  }

  #event(type: string, members: Readonly<Record<string, unknown>>): ByteText {
    return byteText(`${type}\ndata: ${JSON.stringify({ type, sequence_number: this.#number++, ...members })}`);
  }

  /**
   * @returns whether the events of the run could be made from its text: it adds to a text that is under way, and to
   * nothing else
   */
  #run({ literals }: TextRun, { delta = {}, finish_reason }: Partial<GenerationChoice> = {}): boolean {
    if (finish_reason) return false;
    let kind: string | undefined;
    for (const name in delta) {
      if (name === 'role') continue;
      if (kind !== undefined) return false;
      kind = name;
    }
    const text = kind && this.#output.growing(kind, delta);
    if (!text) return false;
    this.#output.grow(text, kind!, kind === 'tool_calls' ? delta.tool_calls![0]!.function!.arguments! : (delta[kind!] as string));
    if (text !== this.#text) this.#beginDeltas(text);
    // Many short flat texts are joined in two thirds of the time that their concatenations take (measured).
    const texts: string[] = [this.#head];
    for (const literal of literals) texts.push(literal, numbered(this.#number++), this.#between);
    texts[texts.length - 1] = '}';
    this.#emit(asByteText(texts.join('')));
    return true;
  }

  #beginDeltas(text: GrowingText): void {
    const { type, place } = text;
    this.#text = text;
    this.#head = flat(byteText(`${type}\ndata: ${JSON.stringify({ type, ...place }).slice(0, -1)},"delta":"`));
    this.#between = flat(asByteText(`}${EVENT_END}${PREFIX}${this.#head}`));
  }
}

/** What stands behind the delta of an event with this number. */
function numbered(number: number): ByteText {
  if (number >= KEPT) return asByteText(`","sequence_number":${number}`);
  return (endings[number] ??= flat(asByteText(`","sequence_number":${number}`)));
}

/** Numbers of which the text is kept: most streams have fewer events. */
const KEPT = 4_096;
const endings: ByteText[] = [];
