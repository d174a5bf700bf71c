import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import type { ProviderNames } from './provider-templates.js';

/** The files that only a provider outside the gateway has: its entry, and what its own tests and editors need. */
export function outsideFiles({ id, pascal, camel }: ProviderNames, folder: string, gateway: string): Record<string, string> {
  return {
    'index.ts': `import { providerModule } from 'switchyard/provider';
import { ${pascal}Provider } from './${id}.provider.ts';
import { ${camel}Type } from './${id}.type.ts';

export default providerModule({
  types: [${camel}Type],
  create: (id, config, services) => new ${pascal}Provider(id, config, services),
});
`,
    'package.json': json({
      name: `switchyard-${id}`,
      version: '0.1.0',
      private: true,
      type: 'module',
      exports: './index.ts',
      scripts: {
        test: 'node --experimental-vm-modules node_modules/jest/bin/jest.js',
        typecheck: 'tsc',
      },
      jest: {
        testEnvironment: 'node',
        extensionsToTreatAsEsm: ['.ts'],
        transform: { '\\.ts$': ['@swc/jest', { jsc: { parser: { syntax: 'typescript' }, target: 'es2023' } }] },
      },
      devDependencies: { ...toolVersions(gateway), switchyard: `file:${relative(folder, gateway)}` },
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
        verbatimModuleSyntax: true,
        allowImportingTsExtensions: true,
        skipLibCheck: true,
      },
    }),
    '.gitignore': 'node_modules\n',
  };
}

const tools = ['@swc/core', '@swc/jest', '@types/jest', '@types/node', 'jest', 'typescript'];

/** The versions of the gateway's own tools, so that the contract suite behaves as it does there. */
function toolVersions(gateway: string): Record<string, string> {
  const { devDependencies } = JSON.parse(readFileSync(`${gateway}/package.json`, 'utf8')) as { devDependencies: Record<string, string> };
  return Object.fromEntries(tools.map((name) => [name, devDependencies[name] ?? '*']));
}

function json(value: unknown): string {
  return `${JSON.stringify(value, undefined, 2)}\n`;
}
