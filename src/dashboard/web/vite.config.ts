import { readdir, readFile, unlink, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { defineConfig, type Plugin } from 'vite';

export default defineConfig({
  root: import.meta.dirname,
  base: '/dashboard/',
  // The gateway replaces it by a new one for each page that it answers.
  html: { cspNonce: '__NONCE__' },
  build: {
    outDir: resolve(import.meta.dirname, '../../../dist/dashboard/built'),
    emptyOutDir: true,
    target: 'es2023',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    chunkSizeWarningLimit: 1_000,
    rolldownOptions: {
      // Packages say "use client" to frameworks that render on servers.
      onwarn: (warning, warn) => {
        if (warning.code !== 'MODULE_LEVEL_DIRECTIVE') warn(warning);
      },
    },
  },
  plugins: [escaped(), styled(), compressed()],
});

/** Has all elements made by `jsx-runtime.ts`, those of packages too. */
function escaped(): Plugin {
  const runtime = join(import.meta.dirname, 'jsx-runtime.ts');
  return {
    name: 'escaped',
    enforce: 'pre',
    resolveId: (source, importer) => (source === 'react/jsx-runtime' && importer !== runtime ? runtime : undefined),
  };
}

/** Fails where a page shows a component of Mantine whose styles `theme/mantine.css` does not import. */
function styled(): Plugin {
  return {
    name: 'styled',
    async generateBundle(_, bundle) {
      const imported = await readFile(join(import.meta.dirname, 'theme/mantine.css'), 'utf8');
      const modules = Object.values(bundle).flatMap((part) => (part.type === 'chunk' ? part.moduleIds : []));
      const shown = modules.flatMap((id) => /@mantine\/core\/.*\/(\w+)\.module\.mjs/.exec(id)?.[1] ?? []);
      const missing = shown.filter((name) => !imported.includes(`/${name}.css'`));
      if (missing.length > 0) this.error(`theme/mantine.css does not import ${[...new Set(missing)].sort().join(', ')}`);
    },
  };
}

/** Puts a brotli and a gzip form in the place of each script and style, so that the gateway compresses nothing. */
function compressed(): Plugin {
  const brotli = promisify(brotliCompress);
  const zip = promisify(gzip);
  let folder = '';
  return {
    name: 'compressed',
    configResolved({ root, build }) {
      folder = join(resolve(root, build.outDir), 'assets');
    },
    async writeBundle() {
      const names = (await readdir(folder)).filter((name) => /\.(js|css|svg)$/.test(name));
      await Promise.all(
        names.map(async (name) => {
          const path = join(folder, name);
          const bytes = await readFile(path);
          if (bytes.length < 1_000) return;
          await writeFile(`${path}.br`, await brotli(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }));
          await writeFile(`${path}.gz`, await zip(bytes, { level: 9 }));
          await unlink(path);
        }),
      );
    },
  };
}
