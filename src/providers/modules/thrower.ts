import { fileURLToPath } from 'node:url';
import { programFolder } from '../../config/version.js';
import type { LoadedModule } from '../kit/provider-module.js';

/** A file in a stack, as a path or an address. */
const named = /(?:^|[\s(])((?:file:\/\/)?\/[^\s()]+?):\d+:\d+\)?$/;

/** Frames of one stack that are looked at. */
const MAX_FRAMES = 100;

/**
 * The module whose code threw an error: libraries aside, the uppermost frame of its stack is the module's. undefined
 * where that frame is the gateway's, where there is none, and where what was thrown has no stack.
 */
export function throwerOf(thrown: unknown, modules: readonly LoadedModule[]): LoadedModule['place'] {
  const own = ['dist', 'src'].map((folder) => `${programFolder}/${folder}/`);
  for (const frame of framesOf(thrown)) {
    const [, file] = named.exec(frame) ?? [];
    const path = file && pathOf(file);
    if (!path) continue;
    if (own.some((folder) => path.startsWith(folder))) return undefined;
    const module = modules.find(({ place }) => place && isIn(path, place.folder));
    if (module) return module.place;
  }
  return undefined;
}

/** An address in a stack that somebody has made up need not be one of a file. */
function pathOf(file: string): string | undefined {
  try {
    return file.startsWith('file:') ? fileURLToPath(file) : file;
  } catch {
    return undefined;
  }
}

/** Libraries of the module are no code of it. */
function isIn(path: string, folder: string): boolean {
  return path.startsWith(`${folder}/`) && !path.slice(folder.length).includes('/node_modules/');
}

/** What a module throws may be anything, also an error whose stack throws when it is read. */
function framesOf(thrown: unknown): string[] {
  try {
    return (thrown as { stack: string }).stack.split('\n', MAX_FRAMES).filter((line) => /^\s+at /.test(line));
  } catch {
    return [];
  }
}
