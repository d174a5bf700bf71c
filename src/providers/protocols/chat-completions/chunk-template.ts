import type { GenerationChoice, GenerationChunk } from '../../../wire/generation.js';
import { isJson, isText, type Json } from '../json.js';

/** The inside of a JSON string literal, as RFC 8259, 7 allows it. */
const literal = /(?:[ !#-[\]-\uffff]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*/y;

const probe = '\u{1F6A6}probe';
const noiseProbe = '\u{1F6A6}noise';

/** Fields of a vendor's delta (or of a completion's choice) whose text changes from event to event. */
const fields = ['content', 'reasoning_content', 'reasoning', 'text'] as const;

/**
 * The events of a stream differ in one string, the next piece of text. From an event that was parsed and repaired a template is learned: what stands before
 * and behind that string. An event between the same ends is not parsed: its string is the text, and its repaired form is the template's with
 * the literal put in. That this gives what parsing would give is proven when learning, by parsing the template around a probe.
 */
export class ChunkTemplate {
  /** As a line of an event stream begins, and as an event of it ends. */
  readonly #opening: string;
  readonly #closing: string;

  private constructor(
    private readonly head: string,
    /** What follows the text, up to the noise if there is some. */
    private readonly tail: string,
    /** What follows the noise: OpenAI pads each event with a random `obfuscation`. */
    private readonly end: string | undefined,
    private readonly choiceWith: (text: string) => GenerationChoice,
    private readonly rawHead: string,
    private readonly rawTail: string,
  ) {
    this.#opening = `data: ${head}`;
    this.#closing = `${end ?? tail}\n\n`;
  }

  /**
   * @param event `payload` as it was parsed.
   * @param chunk what repairing `event` gave.
   * @returns undefined when the event is not of the kind that a template can stand for.
   */
  static learn(payload: string, event: Json, chunk: GenerationChunk): ChunkTemplate | undefined {
    const choice = chunk.choices.length === 1 ? chunk.choices[0] : undefined;
    const key = choice && textKey(choice);
    const vendorChoice = choiceOf(event);
    if (!choice || !key || !vendorChoice || saysMore(event, vendorChoice)) return undefined;
    const holder = isJson(vendorChoice['delta']) ? vendorChoice['delta'] : vendorChoice;
    const [field, ...others] = fields.filter((name) => isText(holder[name]));
    if (!field || others.length > 0) return undefined;
    const start = literalAfter(payload, field, payload.indexOf('"choices"'));
    if (!start) return undefined;
    const head = payload.slice(0, start.from);
    const behind = payload.slice(start.to);
    const noise = typeof event['obfuscation'] === 'string' ? literalAfter(behind, 'obfuscation', 0) : undefined;
    const tail = noise ? behind.slice(0, noise.from) : behind;
    const end = noise && behind.slice(noise.to);
    if (!isProven(event, field, head, tail, end)) return undefined;
    const choiceWith = choicesWith[key](choice.index);
    const [rawHead, rawTail, ...rest] = JSON.stringify([choiceWith(probe)]).split(probe);
    if (rawHead === undefined || rawTail === undefined || rest.length > 0) return undefined;
    return new ChunkTemplate(head, tail, end, choiceWith, `"choices":${rawHead}`, `${rawTail}}`);
  }

  /** @returns undefined when the payload is not this template's. */
  fill(payload: string): GenerationChunk | undefined {
    const { head, tail, end } = this;
    // A slice is compared in a quarter of the time that startsWith and endsWith take (Node 24: 30 against 110 and 170 ns for 180 characters).
    if (payload.slice(0, head.length) !== head) return undefined;
    const from = head.length;
    const to = literalEnd(payload, from);
    if (to === from) return undefined;
    if (end === undefined) {
      if (payload.slice(to) !== tail) return undefined;
    } else {
      const noise = to + tail.length;
      if (payload.slice(to, noise) !== tail || payload.slice(literalEnd(payload, noise)) !== end) return undefined;
    }
    const text = payload.slice(from, to);
    return { choices: [this.choiceWith(valueOf(text))], raw: this.rawHead + text + this.rawTail };
  }

  /**
   * The events at `position` of an event stream's text that are all this template's.
   * @returns undefined where there are not several of them, one right behind the other.
   */
  run(text: string, position: number): { chunk: GenerationChunk; end: number } | undefined {
    const opening = this.#opening;
    const literals: string[] = [];
    let end = position;
    for (;;) {
      const from = end + opening.length;
      if (text.slice(end, from) !== opening) break;
      const to = literalEnd(text, from);
      if (to === from) break;
      const next = this.#eventEnd(text, to);
      if (next < 0) break;
      literals.push(text.slice(from, to));
      end = next;
    }
    if (literals.length < 2) return undefined;
    const { rawHead: head, rawTail: tail } = this;
    return { chunk: { choices: [this.choiceWith(valueOf(literals.join('')))], run: { head, tail, literals } }, end };
  }

  /** Where the event ends whose text ended at `to`; -1 where it is not this template's. */
  #eventEnd(text: string, to: number): number {
    let behind = to;
    if (this.end !== undefined) {
      behind += this.tail.length;
      if (text.slice(to, behind) !== this.tail) return -1;
      behind = literalEnd(text, behind);
    }
    const next = behind + this.#closing.length;
    return text.slice(behind, next) === this.#closing ? next : -1;
  }
}

function valueOf(literals: string): string {
  return literals.includes('\\') ? (JSON.parse(`"${literals}"`) as string) : literals;
}

type TextKey = 'content' | 'reasoning_content' | 'text';

/** Chunks of one shape each, written out for the engine's sake. */
const choicesWith: Readonly<Record<TextKey, (index: number) => (text: string) => GenerationChoice>> = {
  content: (index) => (content) => ({ index, delta: { content }, logprobs: null, finish_reason: null }),
  reasoning_content: (index) => (reasoning_content) => ({ index, delta: { reasoning_content }, logprobs: null, finish_reason: null }),
  text: (index) => (text) => ({ index, text, logprobs: null, finish_reason: null }),
};

/** The one text of a choice that says nothing else. */
function textKey(choice: GenerationChoice): TextKey | undefined {
  if (choice.finish_reason !== null || choice.logprobs) return undefined;
  if (choice.delta === undefined) return choice.text ? 'text' : undefined;
  const keys = Object.keys(choice.delta);
  const key = keys.length === 1 ? keys[0] : undefined;
  return key === 'content' || key === 'reasoning_content' ? key : undefined;
}

/** Facts that the answer's end depends on have to be read each time that they are told. */
function saysMore({ usage, x_groq }: Json, choice: Json): boolean {
  return [usage, x_groq, choice['usage'], choice['finish_reason']].some((fact) => fact != null);
}

function choiceOf(event: Json): Json | undefined {
  const choices = event['choices'];
  return Array.isArray(choices) && choices.length === 1 && isJson(choices[0]) ? choices[0] : undefined;
}

/** The string literal that is the first value of `name` at or after `position`. */
function literalAfter(payload: string, name: string, position: number): { from: number; to: number } | undefined {
  const member = payload.indexOf(`"${name}":`, position);
  if (member < 0) return undefined;
  const quote = payload.indexOf('"', member + name.length + 3);
  return quote < 0 ? undefined : { from: quote + 1, to: literalEnd(payload, quote + 1) };
}

function literalEnd(payload: string, from: number): number {
  literal.lastIndex = from;
  literal.test(payload);
  return literal.lastIndex;
}

/** Parsing around the probes changes the event in the probed places and nowhere else. */
function isProven(event: Json, field: string, head: string, tail: string, end: string | undefined): boolean {
  let probed: unknown;
  try {
    probed = JSON.parse(head + probe + tail + (end === undefined ? '' : noiseProbe + end));
  } catch {
    return false;
  }
  const choice = isJson(probed) ? choiceOf(probed) : undefined;
  const original = choiceOf(event);
  if (!isJson(probed) || !choice || !original) return false;
  const [holder, originalHolder] = isJson(choice['delta']) ? [choice['delta'], original['delta'] as Json] : [choice, original];
  if (holder[field] !== probe || (end !== undefined && probed['obfuscation'] !== noiseProbe)) return false;
  holder[field] = originalHolder[field];
  if (end !== undefined) probed['obfuscation'] = event['obfuscation'];
  return JSON.stringify(probed) === JSON.stringify(event);
}
