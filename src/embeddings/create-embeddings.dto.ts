import { Checked, OptionalInteger, OptionallyChecked, OptionalText, RequiredText } from '../http/requests/wire-fields.js';
import type { EncodingFormat } from '../wire/embedding.js';
import { encodingFormatProblem, inputProblem, inputSchema } from './input-shape.js';

/** Numbers of an embedding that a request may ask for; the longest in use have 4,096. */
const MAX_DIMENSIONS = 65_536;

/** Body of POST /v1/embeddings. The error names the first wrong field in this order. */
export class CreateEmbeddingsDto {
  /** The id of a model that makes embeddings. */
  @RequiredText(256)
  model: string;

  /** A text, or up to 2,048 texts; where the model takes token ids, an array of them, or up to 2,048 arrays. */
  @Checked(inputProblem, { schema: inputSchema })
  input: string | string[] | number[] | number[][];

  /** How the numbers are written: as numbers, or as base64 of little-endian 32-bit floats. */
  @OptionallyChecked(encodingFormatProblem, { enum: ['float', 'base64'] })
  encoding_format?: EncodingFormat | null;

  /** How many numbers an embedding has. Only some models support it. Absent: as many as the model makes. */
  @OptionalInteger(1, MAX_DIMENSIONS)
  dimensions?: number | null;

  /** A name of your own user, for the provider. */
  @OptionalText(512)
  user?: string | null;

  extra?: Readonly<Record<string, unknown>>;
}
