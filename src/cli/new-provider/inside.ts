import { readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import type { ProviderNames } from './provider-templates.js';

/** The files that only a provider in src/providers has: its factory. */
export function insideFiles({ id, pascal, camel }: ProviderNames): Record<string, string> {
  return {
    [`${id}.factory.ts`]: `import { Injectable } from '@nestjs/common';
import type { ProviderConfig } from '../../config/config.schema.js';
import type { ModelProvider } from '../contract/model-provider.js';
import { ProviderFactory } from '../kit/provider-factory.js';
import type { ProviderServices } from '../kit/provider-services.js';
import { ${camel}Type } from './${id}.type.js';

/** Loads the provider when the first entry asks for it. */
@Injectable()
export class ${pascal}Factory extends ProviderFactory {
  readonly types = [${camel}Type.type];

  async create(id: string, config: ProviderConfig, services: ProviderServices): Promise<ModelProvider> {
    const { ${pascal}Provider } = await import('./${id}.provider.js');
    return new ${pascal}Provider(id, config, services);
  }
}
`,
  };
}

/** Rewrites imports of the public kit for a folder in src/providers: each name comes from the file that declares it. */
export function importedFromWithin(file: string, providers: string): string {
  return file
    .replace(
      /import (type )?\{([^}]*)\} from '@switchyard-gateway\/switchyard\/provider(\/testing)?';\n/g,
      (_, allTypes: string | undefined, list: string, testing) => {
        const kit = testing ? 'testing/testing-kit' : 'kit/provider-kit';
        const origins = originsOf(join(providers, `${kit}.ts`), posix.join('..', posix.dirname(kit)));
        const bySource = new Map<string, string[]>();
        for (const name of list
          .split(',')
          .map((one) => one.trim())
          .filter(Boolean)) {
          const source = origins.get(name.replace(/^type /, ''));
          if (!source) throw new Error(`the kit has no ${name}`);
          bySource.set(source, [...(bySource.get(source) ?? []), allTypes ? `type ${name}` : name]);
        }
        return [...bySource]
          .sort(([a], [b]) => (a < b ? -1 : 1))
          .map(([source, names]) => importLine(names, source))
          .join('');
      },
    )
    .replaceAll(/(from '\.\/[^']+)\.ts'/g, "$1.js'");
}

function importLine(names: readonly string[], source: string): string {
  const types = names.every((name) => name.startsWith('type '));
  const list = names.map((name) => (types ? name.slice('type '.length) : name)).join(', ');
  return `import ${types ? 'type ' : ''}{ ${list} } from '${source}';\n`;
}

/** Maps each name that the kit exports to the file that declares it, as a sibling folder imports it. */
function originsOf(kit: string, folder: string): Map<string, string> {
  const origins = new Map<string, string>();
  for (const [, list = '', source = ''] of readFileSync(kit, 'utf8').matchAll(/export (?:type )?\{([^}]*)\} from '([^']+)';/g)) {
    const seen = posix.join(folder, source);
    for (const name of list.split(',')) origins.set(name.trim().replace(/^type /, ''), seen);
  }
  return origins;
}

/** Adds the provider's factory to what makes providers, or its type to the list of types. */
export function registered({ id, pascal, camel }: ProviderNames, file: 'providers.module.ts' | 'provider-types.ts', text: string): string {
  const isFactory = file === 'providers.module.ts';
  const name = isFactory ? `${pascal}Factory` : `${camel}Type`;
  const line = `import { ${name} } from '../${id}/${id}.${isFactory ? 'factory' : 'type'}.js';\n`;
  const imports = Array.from(text.matchAll(/^import .* from '\.\.\/.*';\n/gm));
  const after = imports.findLast(([other]) => sourceOf(other) < sourceOf(line)) ?? imports[0]!;
  const at = sourceOf(after[0]) < sourceOf(line) ? after.index + after[0].length : after.index;
  const imported = text.slice(0, at) + line + text.slice(at);
  return isFactory
    ? imported.replace(/(const builtIn: Type\[\] = \[\n)/, `$1  ${name},\n`)
    : imported.replace(/(\n {2}\.\.\.presets,)/, `\n  ${name},$1`);
}

function sourceOf(line: string): string {
  return line.slice(line.indexOf("'"));
}
