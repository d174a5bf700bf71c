import type { ByteText } from '../../../wire/byte-text.js';
import type { GenerationChunk } from '../../../wire/generation.js';
import type { ChunkSink } from '../../pushed-answer.js';
import { eventObject } from '../event-object.js';
import type { Json } from '../json.js';
import type { AnswerRepair } from './answer-repair.js';
import { ChunkTemplate } from './chunk-template.js';

/** One for each choice of a usual stream, or for text and reasoning. */
const MAX_TEMPLATES = 4;

/** Templates learned in vain after which no more are: the vendor's events differ in more than their text. */
const MAX_FUTILE = 8;

/** Turns the payloads of a stream's events into chunks: by template where one fits, else by parsing and repairing. */
export class StreamRepair {
  #templates: ChunkTemplate[] = [];
  #futile = 0;
  /** An event to learn from when the next one comes: so nothing waits for it, least of all the first text of a stream. */
  #lesson: { readonly payload: string; readonly event: Json; readonly chunk: GenerationChunk } | undefined;

  constructor(
    private readonly repair: AnswerRepair,
    private readonly edit?: (event: Json) => Json,
  ) {}

  /** @returns undefined for an event that brings no output. @throws ProviderError */
  read(payload: string): GenerationChunk | undefined {
    this.#learn();
    for (const template of this.#templates) {
      const chunk = template.fill(payload);
      if (chunk) {
        this.#futile = 0;
        this.repair.passed(chunk);
        return chunk;
      }
    }
    const event = eventObject(payload);
    if (this.edit) return this.repair.event(this.edit(event));
    const chunk = this.repair.event(event);
    if (chunk && this.#futile < MAX_FUTILE) this.#lesson = { payload, event, chunk };
    return chunk;
  }

  /**
   * Reads the events at `position` of an event stream that follow one template.
   * @param sink is given what they come to
   * @returns the position behind them; the same one where there are none
   */
  run(bytes: ByteText, position: number, sink: Pick<ChunkSink, 'next'>): number {
    this.#learn();
    for (const template of this.#templates) {
      const run = template.run(bytes, position);
      if (!run) continue;
      this.#futile = 0;
      this.repair.passed(run.chunk);
      sink.next(run.chunk);
      return run.end;
    }
    return position;
  }

  #learn(): void {
    if (!this.#lesson) return;
    const { payload, event, chunk } = this.#lesson;
    this.#lesson = undefined;
    const template = ChunkTemplate.learn(payload, event, chunk);
    if (!template) return;
    this.#futile++;
    // The last of them would be compared with every event that is left.
    this.#templates = this.#futile < MAX_FUTILE ? [template, ...this.#templates.slice(0, MAX_TEMPLATES - 1)] : [];
  }
}
