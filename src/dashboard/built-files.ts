import { readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { acceptsEncoding } from '../http/requests/accepts-encoding.js';
import { SharedReads } from './shared-reads.js';
import { ownOf } from '../wire/own-members.js';

const decompressed = promisify(gunzip);

const types: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
};

/** Encodings by preference, and how the names of such files end. */
const encodings = [
  ['br', '.br'],
  ['gzip', '.gz'],
] as const;

export interface BuiltAsset {
  readonly bytes: Buffer;
  readonly type: string;
  /** Absent: as it is. */
  readonly encoding?: string;
}

/**
 * What Vite has made of the page. A file is read when it is asked for: browsers keep what they have, and nothing is kept
 * in memory here that no response needs. Anybody may ask, and read as slowly as they like.
 */
export class BuiltFiles {
  readonly #reads = new SharedReads();

  /** @param folder of index.html and `assets` */
  constructor(private readonly folder: string) {}

  /** @returns undefined where the program runs from its sources */
  async page(): Promise<string | undefined> {
    return (await bytesOf(join(this.folder, 'index.html')))?.toString();
  }

  /**
   * @param accepted the header Accept-Encoding
   * @returns undefined where there is no such file
   */
  async asset(name: string, accepted?: string): Promise<BuiltAsset | undefined> {
    const type = ownOf(types, extname(name));
    if (type === undefined || !/^[\w-][\w.-]*$/.test(name)) return undefined;
    const path = join(this.folder, 'assets', name);
    for (const [encoding, suffix] of encodings) {
      const bytes = acceptsEncoding(accepted, encoding) ? await this.#bytes(path + suffix) : undefined;
      if (bytes) return { bytes, type, encoding };
    }
    const bytes = await this.#reads.of(path, async () => {
      const whole = await bytesOf(path);
      // Scripts and styles are shipped compressed alone, because every browser takes one of the two.
      const compressed = whole ? undefined : await bytesOf(`${path}.gz`);
      return compressed ? decompressed(compressed) : whole;
    });
    return bytes && { bytes, type };
  }

  #bytes(path: string): Promise<Buffer | undefined> {
    return this.#reads.of(path, () => bytesOf(path));
  }
}

async function bytesOf(path: string): Promise<Buffer | undefined> {
  try {
    return await readFile(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
