import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { ProviderNames } from './provider-templates.js';

/** The files that only a provider outside the gateway has: its entry, and what its own tests and editors need. */
export function outsideFiles({ id, pascal, camel, title }: ProviderNames, folder: string, gateway: string): Record<string, string> {
  const { name, version, devDependencies, allowScripts } = JSON.parse(readFileSync(join(gateway, 'package.json'), 'utf8')) as Manifest;
  return {
    'index.ts': `import { providerModule } from '@switchyard-gateway/switchyard/provider';
import { ${pascal}Provider } from './${id}.provider.ts';
import { ${camel}Type } from './${id}.type.ts';

export default providerModule({
  types: [${camel}Type],
  create: (id, config, services) => new ${pascal}Provider(id, config, services),
});
`,
    'package.json': json({
      name: `switchyard-${id.replace(/^switchyard-/, '')}`,
      version: '0.1.0',
      description: `${title} as a provider of the Switchyard gateway`,
      license: 'UNLICENSED',
      type: 'module',
      engines: { node: '>=24' },
      exports: { '.': { types: './dist/index.d.ts', default: './dist/index.js' }, './package.json': './package.json' },
      files: ['dist'],
      scripts: {
        test: 'switchyard providers test',
        typecheck: 'tsc',
        build: 'tsc -p tsconfig.build.json',
        prepack: 'npm run -s build',
      },
      jest: {
        testEnvironment: 'node',
        extensionsToTreatAsEsm: ['.ts'],
        modulePathIgnorePatterns: ['<rootDir>/dist'],
        transform: {
          '\\.ts$': ['@swc/jest', { jsc: { parser: { syntax: 'typescript', decorators: true }, transform: decorated, target: 'es2023' } }],
        },
      },
      peerDependencies: { [name]: `^${version}` },
      allowScripts,
      devDependencies: { ...toolVersions(devDependencies), [name]: `file:${relative(folder, gateway)}` },
    }),
    'tsconfig.json': json({
      compilerOptions: {
        module: 'nodenext',
        target: 'es2023',
        lib: ['es2024'],
        types: ['node', 'jest'],
        strict: true,
        noEmit: true,
        erasableSyntaxOnly: true,
        experimentalDecorators: true,
        emitDecoratorMetadata: true,
        verbatimModuleSyntax: true,
        rewriteRelativeImportExtensions: true,
        skipLibCheck: true,
      },
      exclude: ['dist', 'node_modules'],
    }),
    'tsconfig.build.json': json({
      extends: './tsconfig.json',
      compilerOptions: { noEmit: false, noEmitOnError: true, rootDir: '.', outDir: 'dist', declaration: true, types: ['node'] },
      exclude: ['dist', 'node_modules', '**/*.spec.ts', 'testing'],
    }),
    '.gitignore': 'node_modules\ndist\n*.tgz\ndata/\nswitchyard.yaml\n.env\n',
  };
}

/** What of the gateway's own package.json a new package needs. */
interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly devDependencies: Readonly<Record<string, string>>;
  /** The packages whose install scripts need not run. */
  readonly allowScripts: Readonly<Record<string, boolean>>;
}

/** What Nest's decorators need of SWC. */
const decorated = { legacyDecorator: true, decoratorMetadata: true };

const tools = ['@swc/core', '@swc/jest', '@types/jest', '@types/node', 'jest', 'typescript'];

/** The versions of the gateway's own tools, so that the contract suite behaves as it does there. */
function toolVersions(versions: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(tools.map((name) => [name, versions[name] ?? '*']));
}

function json(value: unknown): string {
  return `${JSON.stringify(value, undefined, 2)}\n`;
}
