import { asByteText, type ByteText, byteText } from '../../wire/byte-text.js';
import type { JsonObject } from '../../wire/json-object.js';
import { EventTemplate, type Hole, type TemplateRun } from './event-template.js';

/** One for each choice of a usual stream, or for text and reasoning. */
const MAX_TEMPLATES = 4;

/** Templates learned in vain after which no more are: the vendor's events differ in more than what is known to. */
const MAX_FUTILE = 8;

/** Events that follow one template, and what is known of them. */
export interface KnownRun<Known> {
  readonly run: TemplateRun;
  readonly known: Known;
}

/** The templates of one stream, each with what is known of its events. */
export class EventTemplates<Known extends { readonly holes: readonly Hole[] }> {
  #all: { readonly template: EventTemplate; readonly known: Known }[] = [];
  #futile = 0;

  /** Nothing more is learned. */
  get futile(): boolean {
    return this.#futile >= MAX_FUTILE;
  }

  /** What an event says that was parsed. */
  learn(name: string, data: string, event: JsonObject, known: Known): void {
    if (this.futile) return;
    const template = EventTemplate.learn(name, data, event, known.holes);
    if (!template) return;
    this.#futile++;
    // The last of them would be compared with every event that is left.
    this.#all = this.#futile < MAX_FUTILE ? [{ template, known }, ...this.#all.slice(0, MAX_TEMPLATES - 1)] : [];
  }

  /** The events at `position` that follow one template. @returns undefined where there is none */
  run(bytes: ByteText, position: number): KnownRun<Known> | undefined {
    for (const { template, known } of this.#all) {
      const run = template.run(bytes, position);
      if (!run) continue;
      this.#futile = 0;
      return { run, known };
    }
    return undefined;
  }

  /** The event that was read as `data`, if it has no name. @returns undefined where it follows no template */
  one(data: string): KnownRun<Known> | undefined {
    if (this.#all.length === 0) return undefined;
    const bytes = asByteText(`data: ${byteText(data)}\n\n`);
    const found = this.run(bytes, 0);
    return found?.run.end === bytes.length && found.run.literals.length === 1 ? found : undefined;
  }

  /** What was known of events is not so any more. */
  clear(): void {
    this.#all = [];
  }
}
