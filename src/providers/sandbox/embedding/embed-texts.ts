import { textPieces } from '../../../json/json-pieces.js';
import type { EmbeddingAnswer, EmbeddingInput, EmbeddingRequest } from '../../../wire/embedding.js';
import { usageOf } from '../../../wire/usage.js';
import { ProviderError } from '../../contract/provider-error.js';
import type { Language } from '../language/language.js';
import type { Pacer } from '../pacer.js';
import { addSigns } from './signs.js';
import { add, DIMENSIONS, normalized, WordSpace } from './word-space.js';

/** Numbers of an embedding that a request may ask for. */
const MOST_DIMENSIONS = 4_096;

interface EmbeddingTask {
  readonly request: EmbeddingRequest;
  readonly language: Language;
  /** Tokens of one input. */
  readonly contextLength: number;
  readonly pacer: Pacer;
  readonly signal: AbortSignal;
}

let space: WordSpace | undefined;

/**
 * Embeds each input as the sum of the vectors of its words. Token ids of any vocabulary are words of their own, so that
 * inputs with the same ids are alike.
 * @throws ProviderError context_length_exceeded, invalid_request
 */
export async function embedTexts({ request, ...task }: EmbeddingTask): Promise<EmbeddingAnswer> {
  const { input, dimensions = DIMENSIONS } = request;
  if (dimensions > MOST_DIMENSIONS)
    throw new ProviderError('invalid_request', `dimensions must be at most ${MOST_DIMENSIONS}: ${dimensions}`);
  space ??= new WordSpace();
  const embeddings: number[][] = [];
  let tokens = 0;
  for (let index = 0; index < input.length; index++) {
    const sum = new Float32Array(DIMENSIONS);
    tokens += await readInput(sum, input, index, task);
    if (task.signal.aborted) throw new ProviderError('unreachable', 'The request was given up');
    embeddings.push(Array.from(withDimensions(sum, dimensions), shortened));
  }
  return { embeddings, usage: usageOf(tokens, 0) };
}

/** @returns how many tokens the input has */
async function readInput(
  sum: Float32Array,
  input: readonly EmbeddingInput[],
  index: number,
  { language: { tokenizer }, contextLength, pacer, signal }: Omit<EmbeddingTask, 'request'>,
): Promise<number> {
  const given = input[index]!;
  if (typeof given !== 'string') {
    for (const id of given) addSigns(sum, `${id}`, 1);
    return given.length;
  }
  let tokens = 0;
  for (const text of textPieces(given)) {
    for (const word of text.match(/\p{L}+|\p{N}+/gu) ?? []) {
      if (pacer.due) await pacer.yieldToEventLoop();
      if (signal.aborted) return tokens;
      add(sum, space!.vectorOf(word), 1);
    }
    for (const preToken of tokenizer.encodeByPreToken(text)) {
      tokens += preToken.length;
      if (tokens > contextLength) throw tooLong(index, contextLength);
      if (pacer.due) await pacer.yieldToEventLoop();
      if (signal.aborted) return tokens;
    }
  }
  return tokens;
}

/**
 * The beginning of the vector, or the vector and then itself again with other signs, which changes no angle; of a text
 * without words it is a vector that is like no other text's.
 */
function withDimensions(sum: Float32Array, dimensions: number): Float32Array {
  if (sum.every((number) => number === 0)) sum[0] = 1;
  const vector = new Float32Array(dimensions);
  for (let at = 0; at < dimensions; at++) {
    const block = Math.floor(at / DIMENSIONS);
    vector[at] = block % 2 === 1 && at % 2 === 1 ? -sum[at % DIMENSIONS]! : sum[at % DIMENSIONS]!;
  }
  return normalized(vector);
}

/** To as many decimals as vendors write, about. */
function shortened(number: number): number {
  return Math.round(number * 1e8) / 1e8;
}

function tooLong(index: number, contextLength: number): ProviderError {
  return new ProviderError('context_length_exceeded', `input[${index}] has more than ${contextLength} tokens`);
}
