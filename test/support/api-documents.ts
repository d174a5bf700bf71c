import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Documents } from '../../src/openapi/create-documents.js';
import { sourcesVersion } from './built-program.js';

const root = join(import.meta.dirname, '../..');
const folder = join(root, 'node_modules/.cache');
const kept = join(folder, 'switchyard-api-documents.json');

function read(): { readonly version: string; readonly documents: Documents } | undefined {
  try {
    return JSON.parse(readFileSync(kept, 'utf8')) as { version: string; documents: Documents };
  } catch {
    return undefined;
  }
}

async function make(): Promise<Documents> {
  const { createDocuments } = await import('../../src/openapi/create-documents.js');
  const documents = await createDocuments(join(root, 'src'));
  mkdirSync(folder, { recursive: true });
  // Other specs may be writing the same.
  const own = `${kept}.${process.pid}`;
  writeFileSync(own, JSON.stringify({ version, documents }));
  renameSync(own, kept);
  return documents;
}

const version = sourcesVersion();
const known = read();

/** The description of the API that these sources have. Making it takes two seconds: it is kept until they change. */
export const apiDocuments: Documents = known?.version === version ? known.documents : await make();
