import type { ByteText } from '../../../wire/byte-text.js';
import type { GenerationChunk } from '../../../wire/generation.js';
import type { ChunkObserver } from '../../pushed-chunks.js';
import { eventObject } from '../event-object.js';
import { EventTemplates, type KnownRun } from '../event-templates.js';
import type { JsonObject } from '../../../wire/json-object.js';
import type { ChatCompletionsTranslator } from './translator.js';
import { type TextEvent, textEventOf } from './text-event.js';

/** Turns the payloads of a stream's events into chunks: by template where one fits, else by parsing and repairing. */
export class StreamRepair {
  readonly #templates = new EventTemplates<TextEvent>();
  /** An event to learn from when the next one comes: so nothing waits for it, least of all the first text of a stream. */
  #lesson: { readonly payload: string; readonly event: JsonObject; readonly chunk: GenerationChunk } | undefined;

  constructor(
    private readonly repair: ChatCompletionsTranslator,
    private readonly edit?: (event: JsonObject) => JsonObject,
  ) {}

  /** @returns undefined for an event that brings no output. @throws ProviderError */
  read(payload: string): GenerationChunk | undefined {
    this.#learn();
    const found = this.#templates.one(payload);
    if (found) return this.#passed(found);
    const event = eventObject(payload);
    if (this.edit) return this.repair.event(this.edit(event));
    const chunk = this.repair.event(event);
    if (chunk && !this.#templates.futile) this.#lesson = { payload, event, chunk };
    return chunk;
  }

  /**
   * Reads the events at `position` of an event stream that follow one template.
   * @param sink is given what they come to
   * @returns the position behind them; the same one where there are none
   */
  run(bytes: ByteText, position: number, sink: Pick<ChunkObserver, 'next'>): number {
    this.#learn();
    const found = this.#templates.run(bytes, position);
    if (!found) return position;
    sink.next(this.#passed(found));
    return found.run.end;
  }

  #passed({ known: { choiceWith, ends }, run: { literals, text } }: KnownRun<TextEvent>): GenerationChunk {
    const chunk: GenerationChunk = { choices: [choiceWith(text)], run: { ...ends, literals } };
    this.repair.passed(chunk);
    return chunk;
  }

  #learn(): void {
    if (!this.#lesson) return;
    const { payload, event, chunk } = this.#lesson;
    this.#lesson = undefined;
    const piece = textEventOf(event, chunk);
    if (piece) this.#templates.learn('', payload, event, piece.holes, piece);
  }
}
