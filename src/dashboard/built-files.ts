import { readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';

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
 * What Vite has made of the page. A file is read each time it is asked for: browsers keep what they have, and nothing is
 * kept in memory here.
 */
export class BuiltFiles {
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
  async asset(name: string, accepted = ''): Promise<BuiltAsset | undefined> {
    const type = types[extname(name)];
    if (type === undefined || !/^[\w-][\w.-]*$/.test(name)) return undefined;
    const path = join(this.folder, 'assets', name);
    for (const [encoding, suffix] of encodings) {
      const bytes = accepts(accepted, encoding) ? await bytesOf(path + suffix) : undefined;
      if (bytes) return { bytes, type, encoding };
    }
    const bytes = await bytesOf(path);
    if (bytes) return { bytes, type };
    // Scripts and styles are shipped compressed alone, because every browser takes one of the two.
    const compressed = await bytesOf(`${path}.gz`);
    return compressed && { bytes: await decompressed(compressed), type };
  }
}

/** Whether a header Accept-Encoding names an encoding, other than with the weight 0. */
function accepts(header: string, encoding: string): boolean {
  return header.split(',').some((one) => {
    const [name, weight] = one.trim().split(/\s*;\s*/);
    return name === encoding && !/^q=0(\.0*)?$/.test(weight ?? '');
  });
}

async function bytesOf(path: string): Promise<Buffer | undefined> {
  try {
    return await readFile(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
