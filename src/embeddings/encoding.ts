import { endianness } from 'node:os';
import { type Embedding, type EncodingFormat, floatsOf } from '../wire/embedding.js';

/**
 * An embedding as the client wants it: its numbers, or in base64 their bytes as little-endian 32-bit floats. What the
 * provider has sent in this format stays as it is.
 */
export function encoded(embedding: Embedding, format: EncodingFormat): Embedding {
  if (typeof embedding === 'string') return format === 'base64' ? embedding : [...floatsOf(embedding)!];
  return format === 'float' ? embedding : base64Of(embedding);
}

function base64Of(numbers: readonly number[]): string {
  const bytes = Buffer.from(Float32Array.from(numbers).buffer);
  return (endianness() === 'BE' ? bytes.swap32() : bytes).toString('base64');
}
