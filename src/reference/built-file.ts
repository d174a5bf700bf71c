import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ApiError } from '../common/api-error.js';

/** Where `npm run build` puts what it makes: the folder of the compiled program. */
const folder = join(import.meta.dirname, '..');

export interface Bytes {
  readonly bytes: Buffer;
  readonly etag: string;
}

/** A file that the build has made, read when it is first asked for. */
export class BuiltFile {
  #read: Bytes | undefined;

  constructor(private readonly name: string) {}

  /** @throws ApiError 404 not_found where the program runs from its sources */
  read(): Bytes {
    if (this.#read) return this.#read;
    try {
      const bytes = readFileSync(join(folder, this.name));
      return (this.#read = { bytes, etag: `"${createHash('sha256').update(bytes).digest('base64').slice(0, 22)}"` });
    } catch (cause) {
      throw new ApiError('not_found', `${this.name} is made by npm run build, and this program was not built.`, {}, { cause });
    }
  }
}
