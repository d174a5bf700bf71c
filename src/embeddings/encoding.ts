import { endianness } from 'node:os';
import type { Embedding, EncodingFormat } from '../wire/embedding.js';

const FLOAT_BYTES = 4;

/**
 * An embedding as the client wants it: its numbers, or in base64 their bytes as little-endian 32-bit floats. What the
 * provider has sent in this format stays as it is.
 */
export function encoded(embedding: Embedding, format: EncodingFormat): Embedding {
  if (typeof embedding === 'string') return format === 'base64' ? embedding : numbersIn(embedding);
  return format === 'float' ? embedding : base64Of(embedding);
}

function base64Of(numbers: readonly number[]): string {
  const bytes = Buffer.from(Float32Array.from(numbers).buffer);
  return (endianness() === 'BE' ? bytes.swap32() : bytes).toString('base64');
}

function numbersIn(text: string): number[] {
  const bytes = Buffer.from(text, 'base64');
  return Array.from({ length: bytes.length / FLOAT_BYTES }, (_, at) => bytes.readFloatLE(at * FLOAT_BYTES));
}
