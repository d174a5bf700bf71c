import type { Integer } from './integer.js';
import type { Sampling } from './sampling-shape.js';
import type { Usage } from './usage.js';

/** A text, or the ids of its tokens. */
export type EmbeddingInput = string | readonly Integer[];

export type EncodingFormat = 'float' | 'base64';

/** An embedding: its numbers, or in base64 their bytes as little-endian 32-bit floats. */
export type Embedding = readonly number[] | string;

/** The parameters of sampling, which this operation does not have. */
type NoSampling = Readonly<Partial<Record<Exclude<keyof Sampling, 'model' | 'stream' | 'n' | 'user' | 'extra'>, undefined>>>;

/**
 * One upstream call for embeddings, in the form of the wire format. Bounds are checked before a provider sees it: it
 * has no more inputs than the model says that a call may have.
 */
export interface EmbeddingRequest extends NoSampling {
  readonly operation: 'embeddings';
  /** The client's model id. The vendor's own name is `ProviderCall.upstreamModel`. */
  readonly model: string;
  /** At least one, and none of them empty: texts, or where the model takes them arrays of token ids. */
  readonly input: readonly EmbeddingInput[];
  /** How the client wants the numbers. An answer in the other format is converted by the gateway. */
  readonly encoding_format: EncodingFormat;
  /** Numbers of an embedding; only where the model lists `dimensions` among its parameters. */
  readonly dimensions?: Integer;
  readonly user?: string;
  /** Parameters that the wire format does not know, as the client sent them; compatible providers forward them. */
  readonly extra?: Readonly<Record<string, unknown>>;
  readonly stream: false;
  readonly n: 1;
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
