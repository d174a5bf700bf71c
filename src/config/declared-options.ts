import { isObject } from '../wire/json-object.js';
import { jsonSchemaOf, type OptionsSchema } from './options-schema.js';
import type { ProviderType } from './provider-type.js';
import { ownOf } from '../wire/own-members.js';

/** What a type says of its `options`. They are described when somebody first reads that, which most starts do not need. */
class Declared {
  #jsonSchema: Record<string, unknown> | undefined;
  #secrets: readonly string[] | undefined;

  constructor(
    readonly schema: OptionsSchema | undefined,
    private readonly secretOptions: readonly string[],
  ) {}

  get jsonSchema(): Record<string, unknown> | undefined {
    return (this.#jsonSchema ??= this.schema && jsonSchemaOf(this.schema));
  }

  /** Dotted names of the options whose values are secrets. */
  get secrets(): readonly string[] {
    return (this.#secrets ??= [...new Set([...this.secretOptions, ...writeOnly(this.jsonSchema)])]);
  }
}

/** By type. A process loads each module once, so that a type means the same for as long as it runs. */
const declared = new Map<string, Declared>();

/** Remembers what the types say of their `options`, for whoever reads an entry of one of them. */
export function declareOptions(types: readonly ProviderType[]): void {
  for (const { type, options, secretOptions = [] } of types)
    if (options || secretOptions.length > 0) declared.set(type, new Declared(options, secretOptions));
    else declared.delete(type);
}

export function declaredOptions(type: unknown): Declared | undefined {
  return typeof type === 'string' ? declared.get(type) : undefined;
}

/** The schema of `options` as editors read it, with its secrets marked. */
export function markedJsonSchema(type: string): Record<string, unknown> | undefined {
  const { jsonSchema, secrets = [] } = declaredOptions(type) ?? {};
  if (!jsonSchema) return undefined;
  const marked = structuredClone(jsonSchema);
  for (const name of secrets) {
    let at: unknown = marked;
    for (const part of name.split('.')) at = isObject(at) && isObject(at['properties']) ? ownOf(at['properties'], part) : undefined;
    if (isObject(at)) at['writeOnly'] = true;
  }
  return marked;
}

/** Whether a value of that option, or a part of it, is a secret. */
export function isSecretOption(type: string, option: string): boolean {
  return (declaredOptions(type)?.secrets ?? []).some((name) => name === option || name.startsWith(`${option}.`));
}

/** The secrets among the options of an entry. */
export function secretOptionsOf(type: unknown, options: Readonly<Record<string, unknown>>): string[] {
  return (declaredOptions(type)?.secrets ?? []).flatMap((name) => {
    const value = name.split('.').reduce<unknown>((at, part) => (isObject(at) ? ownOf(at, part) : undefined), options);
    return textsOf(value);
  });
}

/** All texts and numbers in a value, as text. */
export function textsOf(value: unknown): string[] {
  if (typeof value === 'string' || typeof value === 'number') return [String(value)];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsOf) : [];
}

/** Dotted names of what a JSON schema marks as `writeOnly`. */
function writeOnly(schema: unknown, above: readonly string[] = []): string[] {
  if (!isObject(schema)) return [];
  if (schema['writeOnly'] === true && above.length > 0) return [above.join('.')];
  const { properties } = schema;
  return isObject(properties) ? Object.entries(properties).flatMap(([name, inner]) => writeOnly(inner, [...above, name])) : [];
}
