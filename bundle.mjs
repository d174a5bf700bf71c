/**
 * node bundle.mjs FOLDER [--whole-maps]
 *
 * Bundles what tsc wrote to FOLDER/modules into the programs, what modules from outside import, and their common chunks: a start reads a few files
 * instead of 2,400, and leaves out what nobody uses. It begins with tsc's output because esbuild does not write the types of constructor parameters, by which Nest injects.
 * With --whole-maps the source maps tell of packages too, as a profile needs it.
 */
import { chmodSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire, isBuiltin } from 'node:module';
import { basename, dirname, join, resolve } from 'node:path';
import { decode, encode } from '@jridgewell/sourcemap-codec';
import { ImportType, init as lexerReady, parse } from 'es-module-lexer';
import { build } from 'esbuild';

const out = resolve(process.argv[2] ?? 'dist');
const wholeMaps = process.argv.includes('--whole-maps');
const modules = join(out, 'modules');
const installed = (path) => join(import.meta.dirname, 'node_modules', path);

/**
 * Modules of Node's as the names that are used of them: an `import` of one has Node ask for all that it exports, and what some of those are behind is
 * loaded for it, streams and promises for `node:fs`, undici for `node:http`.
 */
const builtinNames = {
  name: 'builtin-names',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^(node:)?[\w/]+$/ }, ({ path, kind }) =>
      isBuiltin(path) && kind === 'import-statement' ? { path: path.replace(/^node:/, ''), namespace: 'builtin' } : undefined,
    );
    onLoad({ filter: /.*/, namespace: 'builtin' }, ({ path }) => {
      const names = Object.keys(process.getBuiltinModule(`node:${path}`)).filter(
        (name) => name !== 'default' && /^[A-Za-z_]\w*$/.test(name),
      );
      // Pure: what nobody imports is left out.
      const lines = names.map((name) => `const _${name} = /* @__PURE__ */ get('${name}'); export { _${name} as ${name} };`);
      return {
        contents: `const builtin = process.getBuiltinModule('node:${path}');
          const get = (name) => builtin[name];
          export default builtin;
          ${lines.join('\n')}`,
      };
    });
  },
};

/**
 * The whole of undici has fetch, web sockets and caches. Of semver Fastify asks whether a plugin, each of which is installed with it by the lock file, is
 * for its version: the answer, and what it is found with, would take 5 ms of each start.
 */
const parts = {
  undici: `export { default as Client } from './lib/dispatcher/client.js';
    export { default as buildConnector } from './lib/core/connect.js';`,
  semver: 'exports.satisfies = () => true;',
};

const partsOfPackages = {
  name: 'parts-of-packages',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^(undici|semver)$/ }, ({ path }) => ({ path, namespace: 'parts' }));
    onLoad({ filter: /.*/, namespace: 'parts' }, ({ path }) => ({ contents: parts[path], resolveDir: installed(path) }));
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

/** Packages load these at once, for what is done here later or never; they are loaded when somebody asks one of them for something. */
const askedForLater = {
  name: 'asked-for-later',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^node:(https|http2)$|\/(client-h2|pushgateway)(\.js)?$/ }, ({ path, kind, namespace, importer }) => {
      if (namespace === 'later') return { path, external: isBuiltin(path) };
      return kind === 'require-call' ? { path: createRequire(importer).resolve(path), namespace: 'later' } : undefined;
    });
    onLoad({ filter: /.*/, namespace: 'later' }, ({ path }) => ({
      contents: `const real = () => require('${path}');
        module.exports = new Proxy(function () {}, {
          get: (_, name) => real()[name],
          apply: (_, self, args) => Reflect.apply(real(), self, args),
          construct: (_, args) => new (real())(...args),
        });`,
    }));
  },
};

const DATE_FORMAT = /^const dateTimeFormatter = new Intl\.DateTimeFormat\((.*?)\);$/ms;

/**
 * esbuild calls a class that speaks of itself _X. Nest's log and its complaints call classes by name.
 * Nest's own log, in the place of which is ours, loads the world's calendars for its dates: 5 MB, 15 ms.
 */
const sourcesOfNest = {
  name: 'sources-of-nest',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/](@nestjs|dist[\\/]modules)[\\/].*\.js$/ }, ({ path }) => {
      const header = /^(?:export )?(?:let \w+ = (?:\w+ = )?)?class (\w+).*\{$/gm;
      let contents = readFileSync(path, 'utf8').replace(header, `$& static { Object.defineProperty(this, 'name', { value: '$1' }); }`);
      if (contents.includes('Intl.DateTimeFormat')) {
        if (!DATE_FORMAT.test(contents)) throw new Error(`${path} makes its dates in another way`);
        contents = contents.replace(
          DATE_FORMAT,
          'const dateTimeFormatter = { format: (date) => new Intl.DateTimeFormat($1).format(date) };',
        );
      }
      return { contents };
    });
  },
};

const common = {
  outdir: out,
  bundle: true,
  platform: 'node',
  target: 'node24',
  mainFields: ['es2015', 'module', 'main'],
  minifyWhitespace: true,
  lineLimit: 160,
  sourcemap: true,
  sourcesContent: false,
  legalComments: 'none',
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
  plugins: [builtinNames, partsOfPackages, modernRxjs, notForNest, askedForLater, sourcesOfNest],
  logLevel: 'warning',
  write: false,
  metafile: true,
};

/** Large, and asked for by few gateways: by the names of their chunks, what stays a module, which the script below imports when it needs it. */
const apart = { 'genai-prices': '@pydantic/genai-prices', 'trace-exporter': join(modules, 'observability/trace-exporter.js') };
const apartFromScript = {
  name: 'apart-from-script',
  setup({ onResolve }) {
    onResolve({ filter: new RegExp(`(${Object.keys(apart).join('|')})(\\.js)?$`) }, ({ path, resolveDir }) => {
      const name = Object.keys(apart).find((chunk) => apart[chunk] === path || apart[chunk] === join(resolveDir, path));
      return name && { path: `./${name}.js`, external: true };
    });
  },
};

/** The gateway is one script, in the wrapper that Node puts around CommonJS: of a script V8's code can be kept once it has run (src/process/load-program.ts). */
const gateway = await build({
  ...common,
  entryPoints: { 'chunks/gateway': join(modules, 'process/gateway-program.js') },
  entryNames: '[dir]/[name]-[hash]',
  plugins: [apartFromScript, ...common.plugins],
  format: 'cjs',
  define: { 'import.meta.url': 'moduleUrl', 'import.meta.dirname': '__dirname' },
  banner: {
    js: `(function (exports, require, module, __filename, __dirname, moduleUrl, Import) { 'use strict';`,
  },
  footer: { js: '})' },
});
const script = gateway.outputFiles.find(({ path }) => path.endsWith('.js'));

const { outputFiles, metafile } = await build({
  ...common,
  entryPoints: {
    main: join(modules, 'main.js'),
    'cli/main': join(modules, 'cli/main.js'),
    ...Object.fromEntries(Object.entries(apart).map(([name, module]) => [`chunks/${name}`, module])),
    'chunks/provider-kit': join(modules, 'providers/provider-kit.js'),
    'providers/testing/testing-kit': join(modules, 'providers/testing/testing-kit.js'),
    'chunks/sqlite.worker': join(modules, 'database/sqlite.worker.js'),
    'chunks/schema-instance.worker': join(modules, 'providers/sandbox/response/schema-instance.worker.js'),
  },
  chunkNames: 'chunks/[name]-[hash]',
  splitting: true,
  format: 'esm',
  define: { GATEWAY: JSON.stringify(basename(script.path)) },
  banner: { js: "import { createRequire as requireOf } from 'node:module'; const require = requireOf(import.meta.url);" },
});

/** The script and the modules each have what providers share: a provider's module gets the gateway's where one runs (src/process/gateway-program.ts). */
const { exports: shared } = Object.entries(metafile.outputs).find(([path]) => path.endsWith('chunks/provider-kit.js'))[1];
const providerKit = `import * as own from '../chunks/provider-kit.js';
export const { ${shared.join(', ')} } = globalThis[Symbol.for('switchyard/provider')] ?? own;
`;

const written = new Set();
let changed = false;
for (const output of outputFiles) write(output.path, contentOf(output));
await lexerReady;
for (const output of gateway.outputFiles) write(output.path, output === script ? importsGiven(contentOf(output)) : contentOf(output));
write(join(out, 'providers/provider-kit.js'), providerKit);
chmodSync(join(out, 'cli/main.js'), 0o755);
rmSync(modules, { recursive: true });
if (changed) removeOthers();

function contentOf({ path, text }) {
  if (!path.endsWith('.map')) return oneByte(text);
  return wholeMaps ? text : ownMap(text);
}

/**
 * With the wrapper's `Import` where the script would import by itself, of which Node warns that it is an experiment. A name of the same length leaves
 * the map true.
 */
function importsGiven(text) {
  const [imports] = parse(text);
  const missing = Object.keys(apart).filter((name) => !imports.some(({ n }) => n === `./${name}.js`));
  if (missing.length > 0) throw new Error(`no longer apart from the script: ${missing.join(', ')}`);
  const bytes = Buffer.from(text, 'latin1');
  for (const { t, ss } of imports) {
    if (t !== ImportType.Dynamic) throw new Error(`no import() of a script: ${text.slice(ss, ss + 100)}`);
    bytes.write('Import', ss, 'latin1');
  }
  return bytes.toString('latin1');
}

/** What has not changed stays as it is: a gateway that runs may still load it. */
function write(path, text) {
  written.add(path);
  if (current(path) === text) return;
  changed = true;
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(`${path}.new`, text);
  renameSync(`${path}.new`, path);
}

/** Earlier chunks, and what V8 made of them. */
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
