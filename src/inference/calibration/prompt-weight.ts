import { type InferenceRequest, isOverInputs } from '../../wire/generation.js';
import { contentParts } from '../fitting/content-parts.js';
import type { Amounts } from './linear-fit.js';
import type { PromptPart } from './rates.js';
import { SampledWeight } from './text-weight.js';

/** Tokens that a chat template adds to a message. */
const MESSAGE_TOKENS = 4;

/** Messages of which a sample is taken: the last ones, and the first. */
const SAMPLED_MESSAGES = 8;

/** Inputs of a call of which a sample is taken, about, evenly spread. */
const SAMPLED_INPUTS = 16;

const NO_TOOLS = { toolBytes: 0, tools: 0, request: 1 };

export interface PromptWeight {
  readonly parts: Amounts<PromptPart>;
  /** Places of the text at which it is none of words. */
  readonly densePlaces: number;
  readonly images: number;
  /** Those of them that the client wants to be looked at in low detail. */
  readonly lowImages: number;
}

/**
 * @param bytes UTF-8 bytes of the prompt's text
 * @param toolBytes those of them that declare tools
 * @param dense whether `densePlaces` are wanted; otherwise they are 0
 */
export function promptWeight(request: InferenceRequest, bytes: number, toolBytes: number, dense: boolean): PromptWeight {
  const sample = new SampledWeight(dense);
  if (request.operation === 'completion') {
    const { prompt } = request;
    if (typeof prompt === 'string') sample.see(prompt, 8);
    return { parts: { ...sample.of(bytes), ...NO_TOOLS }, densePlaces: sample.densePlaces(bytes), images: 0, lowImages: 0 };
  }
  if (isOverInputs(request)) {
    const { input } = request;
    const step = Math.max(1, Math.floor(input.length / SAMPLED_INPUTS));
    for (let index = 0; index < input.length; index += step) {
      const text = input[index];
      if (typeof text === 'string') sample.see(text, 2);
    }
    return { parts: { ...sample.of(bytes), ...NO_TOOLS }, densePlaces: sample.densePlaces(bytes), images: 0, lowImages: 0 };
  }
  const { messages } = request;
  let [images, lowImages] = [0, 0];
  for (let index = 0; index < messages.length; index++) {
    const sampled = index === 0 || index > messages.length - SAMPLED_MESSAGES;
    const message = messages[index]!;
    const parts = contentParts(message);
    if (!parts) {
      if (sampled && typeof message.content === 'string') sample.see(message.content, 2);
      continue;
    }
    for (const part of parts) {
      if (part.type === 'image_url') {
        images++;
        if (part.image_url?.detail === 'low') lowImages++;
      } else if (sampled && part.type === 'text' && part.text) sample.see(part.text, 2);
    }
  }
  const { latin, other } = sample.of(bytes - toolBytes);
  const text = { latin: latin + messages.length * MESSAGE_TOKENS, other };
  const tools = request.tools?.length ? { toolBytes, tools: 1, request: 1 } : NO_TOOLS;
  return { parts: { ...text, ...tools }, densePlaces: sample.densePlaces(bytes - toolBytes), images, lowImages };
}
