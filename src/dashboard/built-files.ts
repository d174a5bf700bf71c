import { existsSync, readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';

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
  readonly encoding: string | undefined;
}

/**
 * What Vite has made of the page. The names are read when the first file is asked for, and a file each time it is asked
 * for: browsers keep what they have, and nothing is kept in memory here.
 */
export class BuiltFiles {
  readonly #page: string;
  readonly #assets: string;
  #names: ReadonlySet<string> | undefined;

  /** @param folder of index.html and `assets` */
  constructor(folder: string) {
    this.#page = join(folder, 'index.html');
    this.#assets = join(folder, 'assets');
  }

  /** @returns undefined where the program runs from its sources */
  async page(): Promise<string | undefined> {
    return existsSync(this.#page) ? await readFile(this.#page, 'utf8') : undefined;
  }

  /**
   * @param accepted the header Accept-Encoding
   * @returns undefined where there is no such file
   */
  async asset(name: string, accepted = ''): Promise<BuiltAsset | undefined> {
    this.#names ??= new Set(existsSync(this.#assets) ? readdirSync(this.#assets) : []);
    const type = types[extname(name)];
    if (type === undefined || !this.#names.has(name)) return undefined;
    const [encoding, suffix] = encodings.find(
      ([word, end]) => new RegExp(`\\b${word}\\b(?!\\s*;\\s*q=0(\\.0*)?\\s*(,|$))`).test(accepted) && this.#names!.has(name + end),
    ) ?? [undefined, ''];
    return { bytes: await readFile(join(this.#assets, name + suffix)), type, encoding };
  }
}
