/**
 * node bundle.mjs FOLDER
 *
 * Bundles what tsc wrote to FOLDER/modules into the programs, what modules from outside import, and their common chunks: a start reads a few files
 * instead of 2,400, and leaves out what nobody uses. It begins with tsc's output because esbuild does not write the types of constructor parameters, by which Nest injects.
 */
import { chmodSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { decode, encode } from '@jridgewell/sourcemap-codec';
import { build } from 'esbuild';

const out = resolve(process.argv[2] ?? 'dist');
const modules = join(out, 'modules');
const installed = (path) => join(import.meta.dirname, 'node_modules', path);

/** An import of `node:http` asks for all that it exports, and one of them loads Node's own copy of undici: 60 ms. */
const httpWithoutFetch = {
  name: 'http-without-fetch',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^(node:)?http$/ }, ({ kind }) =>
      kind === 'import-statement' ? { path: 'node:http', namespace: 'builtin' } : undefined,
    );
    onLoad({ filter: /.*/, namespace: 'builtin' }, ({ path }) => ({ contents: `module.exports = process.getBuiltinModule('${path}');` }));
  },
};

/** The whole of undici has fetch, web sockets and caches. */
const undiciParts = {
  name: 'undici-parts',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^undici$/ }, () => ({ path: 'undici', namespace: 'parts' }));
    onLoad({ filter: /.*/, namespace: 'parts' }, () => ({
      contents: `export { default as Client } from './dispatcher/client.js';
        export { default as Pool } from './dispatcher/pool.js';
        export { default as buildConnector } from './core/connect.js';`,
      resolveDir: installed('undici/lib'),
    }));
  },
};

/** For Node rxjs has a CommonJS build alone, of which nothing can be left out. */
const modernRxjs = {
  name: 'modern-rxjs',
  setup({ onResolve }) {
    onResolve({ filter: /^rxjs(\/operators)?$/ }, ({ path }) => ({
      path: installed(path.replace('rxjs', 'rxjs/dist/esm') + '/index.js'),
      sideEffects: false,
    }));
  },
};

/** Nest has a use for the whole of them that is none of ours; bundled, the parts that we use would grow to the whole. */
const notForNest = {
  name: 'not-for-nest',
  setup({ onResolve }) {
    onResolve({ filter: /^(class-validator|class-transformer|file-type)$/ }, ({ kind }) =>
      kind === 'dynamic-import' ? { external: true } : undefined,
    );
  },
};

/** esbuild calls a class that speaks of itself _X. Nest's log and its complaints call classes by name. */
const namesOfClasses = {
  name: 'names-of-classes',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/](@nestjs|dist[\\/]modules)[\\/].*\.js$/ }, ({ path }) => {
      const header = /^(?:export )?(?:let \w+ = (?:\w+ = )?)?class (\w+).*\{$/gm;
      return {
        contents: readFileSync(path, 'utf8').replace(header, `$& static { Object.defineProperty(this, 'name', { value: '$1' }); }`),
      };
    });
  },
};

const { outputFiles } = await build({
  entryPoints: {
    main: join(modules, 'main.js'),
    'cli/main': join(modules, 'cli/main.js'),
    'providers/provider-kit': join(modules, 'providers/provider-kit.js'),
    'providers/testing/testing-kit': join(modules, 'providers/testing/testing-kit.js'),
    'chunks/sqlite.worker': join(modules, 'database/sqlite.worker.js'),
    'chunks/schema-instance.worker': join(modules, 'providers/sandbox/answer/schema-instance.worker.js'),
  },
  outdir: out,
  chunkNames: 'chunks/[name]-[hash]',
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node24',
  mainFields: ['es2015', 'module', 'main'],
  minifyWhitespace: true,
  lineLimit: 160,
  sourcemap: true,
  sourcesContent: false,
  legalComments: 'none',
  banner: { js: "import { createRequire as requireOf } from 'node:module'; const require = requireOf(import.meta.url);" },
  // Nest and pg look for them and do without.
  external: [
    '@fastify/multipart',
    '@fastify/static',
    '@fastify/view',
    '@nestjs/microservices',
    '@nestjs/platform-express',
    '@nestjs/websockets',
    'pg-native',
  ],
  plugins: [httpWithoutFetch, undiciParts, modernRxjs, notForNest, namesOfClasses],
  logLevel: 'warning',
  write: false,
});

const written = new Set();
let changed = false;
for (const { path, text } of outputFiles) write(path, path.endsWith('.map') ? ownMap(text) : oneByte(text));
chmodSync(join(out, 'cli/main.js'), 0o755);
rmSync(modules, { recursive: true });
if (changed) removeOthers();

/** What has not changed stays as it is: a gateway that runs may still load it. */
function write(path, text) {
  written.add(path);
  if (current(path) === text) return;
  changed = true;
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(`${path}.new`, text);
  renameSync(`${path}.new`, path);
}

/** Earlier chunks, and what V8 made of them (src/main.ts). */
function removeOthers() {
  for (const entry of readdirSync(out, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isFile() && !path.endsWith('.d.ts') && !written.has(path)) rmSync(path);
  }
}

function current(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

/** Without the lines of packages: for those the bundle's will do, and the whole map takes more memory than the program. */
function ownMap(text) {
  const map = JSON.parse(text);
  const own = map.sources.map((source) => !source.includes('node_modules/'));
  let foreign = false;
  const lines = decode(map.mappings).map((line) =>
    line.flatMap((segment) => {
      const wasForeign = foreign;
      foreign = !own[segment[1]];
      if (!foreign) return [segment];
      return wasForeign ? [] : [[segment[0]]];
    }),
  );
  return JSON.stringify({ ...map, mappings: encode(lines) });
}

/** V8 keeps a source with a single other character in two bytes each. */
function oneByte(text) {
  return text.replace(/[^\x00-\x7F]/g, (other) => `\\u${other.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
