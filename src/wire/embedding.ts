import type { Integer } from './integer.js';
import type { InputsRequest } from './inputs-request.js';
import type { Usage } from './usage.js';

/** A text, or the ids of its tokens. */
export type EmbeddingInput = InputsRequest['input'][number];

export type EncodingFormat = 'float' | 'base64';

/** An embedding: its numbers, or in base64 their bytes as little-endian 32-bit floats. */
export type Embedding = readonly number[] | string;

/** One upstream call for embeddings, in the form of the wire format. */
export interface EmbeddingRequest extends InputsRequest {
  readonly operation: 'embeddings';
  /** How the client wants the numbers. An answer in the other format is converted by the gateway. */
  readonly encoding_format: EncodingFormat;
  /** Numbers of an embedding; only where the model lists `dimensions` among its parameters. */
  readonly dimensions?: Integer;
}

/** What a provider answers. */
export interface EmbeddingAnswer {
  /** One for each input, in their order. */
  readonly embeddings: readonly Embedding[];
  /** Absent where the provider does not count; the gateway then estimates. */
  readonly usage?: Pick<Usage, 'prompt_tokens'> & Partial<Usage>;
}

/** Response of POST /v1/embeddings (developers.openai.com/api/reference/resources/embeddings). */
export interface EmbeddingList {
  object: 'list';
  data: EmbeddingItem[];
  model: string;
  usage: Pick<Usage, 'prompt_tokens' | 'total_tokens'>;
}

export interface EmbeddingItem {
  object: 'embedding';
  /** That of its input. */
  index: Integer;
  /** Numbers, or with the `encoding_format` base64 a text. */
  embedding: Embedding;
}

const FLOAT_BYTES = 4;

/** @returns the little-endian 32-bit floats of a base64 text; undefined where its bytes are no floats */
export function floatsOf(text: string): Float32Array | undefined {
  const { buffer, byteOffset, length } = Buffer.from(text, 'base64');
  if (length % FLOAT_BYTES > 0) return undefined;
  const bytes = new DataView(buffer, byteOffset, length);
  const floats = new Float32Array(length / FLOAT_BYTES);
  for (let at = 0; at < floats.length; at++) floats[at] = bytes.getFloat32(at * FLOAT_BYTES, true);
  return floats;
}
