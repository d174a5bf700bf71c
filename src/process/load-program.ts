import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cachedDataVersionTag } from 'node:v8';
import { Script } from 'node:vm';
import { crc32 } from 'node:zlib';

export interface LoadedProgram<T> {
  readonly exports: T;
  /** Keeps for the next start what V8 has compiled so far, unless this start was given it already. Takes 100 ms. */
  keepCode(): void;
}

/** The function around a CommonJS module, as Node writes it, and what else bundle.mjs has in it of a module. */
type Wrapped = (
  exports: object,
  require: NodeJS.Require,
  module: { exports: object },
  filename: string,
  dirname: string,
  url: string,
  importModule: (specifier: string) => Promise<unknown>,
) => void;

/** Bytes before the code: its CRC-32. V8 does not look whether code is whole, and ends the process where it is not. */
const CHECKSUM = 4;

/**
 * Runs a CommonJS script that has its wrapper in it, with the code that V8 made of it at an earlier start. Node's own compile cache takes the code of a module
 * before it runs, when none of its functions is compiled: those that a start calls were a third of its CPU time.
 * @param url of a file whose name changes with its content
 * @param cache folder for the code, which is another one for each file, version and flags of V8
 */
export function loadProgram<T extends object>(url: URL, cache: string): LoadedProgram<T> {
  const path = fileURLToPath(url);
  const kept = join(cache, `${basename(path)}.${cachedDataVersionTag()}`);
  const cachedData = readKept(kept);
  // The bundle is ASCII: latin1 is kept as it is, a byte a character.
  const script = new Script(readFileSync(path, 'latin1'), { filename: url.href, cachedData });
  const module = { exports: {} };
  const run = script.runInThisContext() as Wrapped;
  // A script's own import() warns that it is an experiment of Node's.
  const importModule = (specifier: string): Promise<unknown> =>
    import(specifier.startsWith('./') ? new URL(specifier, url).href : specifier);
  run(module.exports, createRequire(url), module, path, dirname(path), url.href, importModule);
  const isNew = script.cachedDataRejected !== false;
  return { exports: module.exports as T, keepCode: () => isNew && writeKept(kept, () => script.createCachedData()) };
}

function readKept(path: string): Buffer | undefined {
  try {
    const bytes = readFileSync(path);
    const code = bytes.subarray(CHECKSUM);
    return bytes.readUInt32LE() === crc32(code) ? code : undefined;
  } catch {
    return undefined;
  }
}

/** Whole or not at all, however many start at once. Where it cannot be written, each start compiles anew. */
function writeKept(path: string, codeOf: () => Buffer): void {
  const fresh = `${path}.${process.pid}`;
  try {
    mkdirSync(dirname(path), { recursive: true });
    const checksum = Buffer.alloc(CHECKSUM);
    // Before the code is made, which would be in vain where nothing can be written.
    writeFileSync(fresh, checksum);
    const code = codeOf();
    checksum.writeUInt32LE(crc32(code));
    writeFileSync(fresh, Buffer.concat([checksum, code]));
    renameSync(fresh, path);
  } catch {
    if (existsSync(fresh)) rmSync(fresh);
  }
}
