import type { StreamFormat } from '../http/requests/stream-format.js';
import type { StreamEvents } from '../inference/chunks/stream-events.js';
import { asByteText, type ByteText, byteText, concatBytes } from '../wire/byte-text.js';
import type { Delta, FinishReason } from '../wire/chat-completion.js';
import type { ErrorBody } from '../wire/error.js';
import type { GenerationChunk, TextRun } from '../wire/generation.js';
import type { OutputText, ResponseObject } from '../wire/response.js';
import { EventRun, type StreamEvent } from '../wire/stream-event.js';
import { OutputItems, type OutputOptions } from './output-items.js';
import { endOf, responseError } from './response.mapping.js';

const OBJECT_END = asByteText('}');

type Emit = (event: StreamEvent) => void;

/**
 * The events of one streamed response: `event: type`, and the data with the same type and the number of the event in
 * the stream. The last is `response.completed`, `response.incomplete` or `response.failed`; nothing follows it. Text is
 * passed on in the provider's own JSON where the chunk has it.
 */
export class ResponseEvents implements StreamEvents, StreamFormat {
  readonly prefix = asByteText('event: ');
  readonly done = asByteText('');
  readonly #output: OutputItems;
  #number = 0;
  #finish: FinishReason = 'stop';
  #emit: Emit = () => undefined;
  /** The part whose deltas begin with `#runHead`. */
  #runPart: OutputText | undefined;
  #runHead = asByteText('');

  /** @param response as it is before its first item */
  constructor(
    private readonly response: ResponseObject,
    options: OutputOptions,
  ) {
    this.#output = new OutputItems(options, (type, members) => this.#emit(this.#event(type, members)));
  }

  next(chunk: GenerationChunk, emit: Emit): void {
    this.#emit = emit;
    const { choices, usage } = chunk;
    if (this.#number === 0 && (choices.length > 0 || usage)) this.#begin();
    if (chunk.run && this.#run(chunk.run, choices[0]?.delta)) return;
    for (const choice of choices) {
      this.#output.add(choice);
      if (choice.finish_reason) this.#finish = choice.finish_reason;
    }
    if (choices.length === 0 && usage) {
      const response = endOf(this.response, this.#output, this.#finish, usage);
      emit(this.#event(`response.${response.status}`, { response }));
    }
  }

  failed(error: ErrorBody): ByteText {
    this.#output.abandon();
    const response = { ...this.response, status: 'failed', error: responseError(error), output: this.#output.items };
    return concatBytes(this.prefix, this.#event('response.failed', { response }), asByteText('\n\n'));
  }

  #begin(): void {
    for (const type of ['response.created', 'response.in_progress']) this.#emit(this.#event(type, { response: this.response }));
  }

  #event(type: string, members: Readonly<Record<string, unknown>>): ByteText {
    return byteText(`${type}\ndata: ${JSON.stringify({ type, sequence_number: this.#number++, ...members })}`);
  }

  /**
   * @returns whether the events of the run could be made from its text: it adds to the text that is under way, and to
   * nothing else
   */
  #run({ literals }: TextRun, delta: Delta | undefined): boolean {
    const part = this.#output.openText;
    if (!part || typeof delta?.content !== 'string') return false;
    for (const name in delta) if (name !== 'content' && name !== 'role') return false;
    part.text += delta.content;
    if (part !== this.#runPart) this.#beginRuns(part);
    if (literals.length === 1) {
      this.#emit(asByteText(`${this.#runHead}${literals[0]!}","sequence_number":${this.#number++}}`));
      return true;
    }
    const numbered = literals.map((literal) => asByteText(`${literal}","sequence_number":${this.#number++}`));
    this.#emit(new EventRun(this.#runHead, numbered, OBJECT_END));
    return true;
  }

  #beginRuns(part: OutputText): void {
    const type = 'response.output_text.delta';
    const members = JSON.stringify({ type, ...this.#output.textPlace, logprobs: [] });
    this.#runPart = part;
    this.#runHead = byteText(`${type}\ndata: ${members.slice(0, -1)},"delta":"`);
  }
}
