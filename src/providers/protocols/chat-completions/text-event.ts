import type { GenerationChoice, GenerationChunk } from '../../../wire/generation.js';
import { isObject, type JsonObject } from '../../../wire/json-object.js';
import type { Hole } from '../event-template.js';
import { isText } from '../is-text.js';
import { type RunEnds, textEnds, type TextField } from '../text-run.js';

/** Fields of a vendor's delta (or of a completion's choice) whose text changes from event to event. */
const fields = ['content', 'reasoning_content', 'reasoning', 'text'] as const;

/**
 * Fields with which vendors (OpenAI, Mistral) pad each event, so that its length does not reveal the length of its
 * text.
 */
const noises = ['obfuscation', 'p'] as const;

/** An event that is one delta of one text, so that the same event with another text is the next delta. */
export interface TextEvent {
  readonly holes: readonly Hole[];
  readonly ends: RunEnds;
  readonly choiceWith: (text: string) => GenerationChoice;
}

/** @param chunk what `event` was translated to */
export function textEventOf(event: JsonObject, { choices }: GenerationChunk): TextEvent | undefined {
  const choice = choices.length === 1 ? choices[0] : undefined;
  const field = choice && fieldOf(choice);
  const vendorChoice = choiceOf(event);
  if (!choice || !field || !vendorChoice || saysMore(event, vendorChoice)) return undefined;
  const inDelta = isObject(vendorChoice['delta']);
  const holder = inDelta ? (vendorChoice['delta'] as JsonObject) : vendorChoice;
  const [name, ...others] = fields.filter((candidate) => isText(holder[candidate]));
  if (!name || others.length > 0) return undefined;
  const holes: Hole[] = [{ kind: 'text', path: ['choices', 0, ...(inDelta ? ['delta'] : []), name] }];
  const noise = noises.find((candidate) => typeof event[candidate] === 'string');
  if (noise) holes.push({ kind: 'noise', path: [noise] });
  return { holes, ends: textEnds(choice.index, field), choiceWith: choicesWith[field](choice.index) };
}

/** Written out for each field, so that V8 gives the chunks of one field one hidden class. */
const choicesWith: Readonly<Record<TextField, (index: number) => (text: string) => GenerationChoice>> = {
  content: (index) => (content) => ({ index, delta: { content }, logprobs: null, finish_reason: null }),
  reasoning_content: (index) => (reasoning_content) => ({ index, delta: { reasoning_content }, logprobs: null, finish_reason: null }),
  text: (index) => (text) => ({ index, text, logprobs: null, finish_reason: null }),
};

/** @returns the field of a choice that says one text and nothing else */
function fieldOf(choice: GenerationChoice): TextField | undefined {
  if (choice.finish_reason !== null || choice.logprobs) return undefined;
  if (choice.delta === undefined) return choice.text ? 'text' : undefined;
  const [field, ...others] = Object.keys(choice.delta);
  return others.length === 0 && (field === 'content' || field === 'reasoning_content') ? field : undefined;
}

/** Whether the event says what the end of the response depends on. Such facts have to be read whenever they come. */
function saysMore({ usage, x_groq }: JsonObject, choice: JsonObject): boolean {
  return [usage, x_groq, choice['usage'], choice['finish_reason']].some((fact) => fact != null);
}

function choiceOf(event: JsonObject): JsonObject | undefined {
  const choices = event['choices'];
  return Array.isArray(choices) && choices.length === 1 && isObject(choices[0]) ? choices[0] : undefined;
}
