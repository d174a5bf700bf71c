import { isOptionsSchema, type OptionsSchema } from '../../config/options-schema.js';
import type { ProviderType } from '../../config/provider-type.js';
import { isObject } from '../../wire/json-object.js';
import { PROVIDER_CONTRACT_VERSION } from '../contract/model-provider.js';
import { type LoadedModule, PROVIDER_MODULE_BRAND, type ProviderModule, type ProviderNestModule } from '../kit/provider-module.js';

/** Metadata that `@Module` leaves on a class. */
const MODULE_PARTS = ['providers', 'imports', 'controllers', 'exports'] as const;

/**
 * @param exported a module's default export
 * @param taken types that exist already
 * @returns the module, or what is wrong with it
 */
export async function loadedModule(exported: unknown, taken: ReadonlySet<string>): Promise<LoadedModule | string> {
  if (typeof exported === 'function') return nestModule(exported as ProviderNestModule, taken);
  if (!isObject(exported) || !Reflect.has(exported, PROVIDER_MODULE_BRAND))
    return 'has no default export that providerModule() has made, nor a class with @Module';
  const { [PROVIDER_MODULE_BRAND]: version, types, options, create } = exported as unknown as Partial<ProviderModule>;
  if (version !== PROVIDER_CONTRACT_VERSION)
    return `was built for contract version ${String(version)}, this is version ${PROVIDER_CONTRACT_VERSION}`;
  if (typeof create !== 'function') return 'has no function create';
  if (!Array.isArray(types) || types.length === 0) return 'brings no types';
  const whole = await typesOf(types, options, taken);
  return typeof whole === 'string' ? whole : { types: whole, create };
}

async function nestModule(exported: ProviderNestModule, taken: ReadonlySet<string>): Promise<LoadedModule | string> {
  const parts = Object.fromEntries(MODULE_PARTS.map((part) => [part, Reflect.getMetadata(part, exported) as unknown[] | undefined]));
  if (!parts['providers'] && !parts['imports']) {
    return Object.values(parts).some(Boolean)
      ? 'brings a class with @Module that has neither providers nor imports'
      : 'has a default export without @Module: export the class of the module, or what providerModule() has made';
  }
  // A route would be open to everybody.
  if (parts['controllers']?.length) return 'brings controllers: a module of providers has no routes of its own';
  const { types = [], options } = exported;
  if (!Array.isArray(types)) return 'brings a class with @Module whose static types are no list';
  const whole = await typesOf(types as ProviderType[], options, taken);
  return typeof whole === 'string' ? whole : { types: whole, nest: exported };
}

async function typesOf(types: readonly ProviderType[], options: unknown, taken: ReadonlySet<string>): Promise<ProviderType[] | string> {
  const known = new Set(taken);
  for (const type of types) {
    const problem = typeProblem(type, known);
    if (problem) return problem;
    known.add(type.type);
  }
  if (options === undefined) return [...types];
  let schema: OptionsSchema;
  if (isOptionsSchema(options)) schema = options;
  else if (typeof options !== 'function')
    return 'has options that are neither a Standard Schema nor a class with decorators of class-validator';
  else {
    const { schemaOfClass } = await import('./class-schema.js');
    const made = schemaOfClass(options as new () => object);
    if (!made) return 'has a class of options without a decorator of class-validator';
    schema = made;
  }
  return types.map((type) => ({ ...type, options: schema }));
}

function typeProblem(value: unknown, taken: ReadonlySet<string>): string | undefined {
  if (!isObject(value)) return 'brings a type that is no object';
  const { type, name, baseUrl, environment, requires = [], secretOptions = [] } = value;
  if (typeof type !== 'string' || !/^[a-z0-9][a-z0-9-]{0,62}$/.test(type))
    return 'brings a type whose name is not of lower-case letters, digits and dashes';
  const brings = `brings the type '${type}'`;
  if (typeof name !== 'string' || name === '') return `${brings} without a name for people`;
  if (baseUrl !== undefined && !(typeof baseUrl === 'string' && URL.canParse(baseUrl.replace(/\{\w+\}/g, 'x'))))
    return `${brings} with a baseUrl that is no URL`;
  if (environment !== undefined && !isObject(environment)) return `${brings} with an environment that is no object`;
  const { options = {} } = environment ?? {};
  if (!isObject(options) || !isTexts(Object.values(options))) return `${brings} with environment.options that are no names of variables`;
  if (!isTexts(requires)) return `${brings} with requires that is no list of variables`;
  if (!isTexts(secretOptions)) return `${brings} with secretOptions that is no list of names`;
  return taken.has(type) ? `${brings}, which there is already` : undefined;
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((text) => typeof text === 'string' && text !== '');
}
