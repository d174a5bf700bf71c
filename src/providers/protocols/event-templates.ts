import { asByteText, type ByteText, byteText } from '../../wire/byte-text.js';
import type { JsonObject } from '../../wire/json-object.js';
import { EventTemplate, type Hole, type TemplateRun } from './event-template.js';

/** Enough for the choices of a usual stream, or for its text and its reasoning. */
const MAX_TEMPLATES = 4;

/**
 * Templates learned in a row that no event followed. After that many no more are learned: the events of the vendor
 * differ in more than their holes.
 */
const MAX_FUTILE = 8;

/** A run of events that follow one template, and what is known of them. */
export interface KnownRun<Known> {
  readonly run: TemplateRun;
  readonly known: Known;
}

/** The templates of one stream, each with what is known of its events. */
export class EventTemplates<Known extends { readonly holes: readonly Hole[] }> {
  #all: { readonly template: EventTemplate; readonly known: Known }[] = [];
  #futile = 0;

  /** True once nothing more is learned. */
  get futile(): boolean {
    return this.#futile >= MAX_FUTILE;
  }

  /** Learns from an event that was parsed. */
  learn(name: string, data: string, event: JsonObject, known: Known): void {
    if (this.futile) return;
    const template = EventTemplate.learn(name, data, event, known.holes);
    if (!template) return;
    this.#futile++;
    // The remaining templates would be compared with every event of the rest of the stream.
    this.#all = this.#futile < MAX_FUTILE ? [{ template, known }, ...this.#all.slice(0, MAX_TEMPLATES - 1)] : [];
  }

  /** @returns the events at `position` that follow one of the templates; undefined where there is none */
  run(bytes: ByteText, position: number): KnownRun<Known> | undefined {
    for (const { template, known } of this.#all) {
      const run = template.run(bytes, position);
      if (!run) continue;
      this.#futile = 0;
      return { run, known };
    }
    return undefined;
  }

  /** @returns the event, which has no name, whose data is `data`; undefined where it follows no template */
  one(data: string): KnownRun<Known> | undefined {
    if (this.#all.length === 0) return undefined;
    const bytes = asByteText(`data: ${byteText(data)}\n\n`);
    const found = this.run(bytes, 0);
    return found?.run.end === bytes.length && found.run.literals.length === 1 ? found : undefined;
  }

  /** Forgets all templates, because what was known of their events does not hold any more. */
  clear(): void {
    this.#all = [];
  }
}
