import * as z from 'zod';
import { isObject } from '../wire/json-object.js';
import { configSchema } from './config.schema.js';
import { declareOptions, markedJsonSchema } from './declared-options.js';
import { COMPATIBLE, type ProviderType } from './provider-type.js';

type JsonSchema = Record<string, unknown>;

/** `${NAME}` may stand in place of any value. */
const fromEnvironment = { type: 'string', pattern: '\\$\\{[^}]+\\}' };

/** The configuration file's JSON schema, with which editors check it and explain each setting. */
export function configJsonSchema(types: readonly ProviderType[]): JsonSchema {
  declareOptions(types);
  const schema = forFiles(z.toJSONSchema(configSchema, { io: 'input' })) as JsonSchema & { properties: { providers: ProvidersSchema } };
  const entry = schema.properties.providers.additionalProperties;
  // Which fields are required depends on the type, which the entry's name may imply.
  delete entry.required;
  const { description } = entry.properties.type;
  entry.properties.type = { description, anyOf: [{ enum: [COMPATIBLE, ...types.map(({ type }) => type)] }, { type: 'string' }] };
  // An entry of the type's own name needs no `type`.
  const rules = types.flatMap(({ type }) => {
    const options = markedJsonSchema(type);
    if (!options) return [];
    const fits = { properties: { options: forFiles(options) } };
    const own = { properties: { [type]: { anyOf: [{ required: ['type'] }, fits] } } };
    return [{ own, each: { anyOf: [{ not: { properties: { type: { const: type } }, required: ['type'] } }, fits] } }];
  });
  if (rules.length > 0) {
    Object.assign(entry, { allOf: rules.map(({ each }) => each) });
    Object.assign(schema.properties.providers, { allOf: rules.map(({ own }) => own) });
  }
  return { ...schema, title: 'Switchyard configuration' };
}

interface ProvidersSchema {
  additionalProperties: { required?: string[]; properties: { type: JsonSchema } };
}

/**
 * Relaxes a schema of the validated object for files: a section may be empty, and a value may come from the
 * environment.
 */
function forFiles(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(forFiles);
  if (!isObject(value)) return value;
  const { maximum, ...rest } = Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name, name === 'default' ? inner : forFiles(inner)]),
  );
  const schema: JsonSchema = maximum === undefined || maximum === Number.MAX_SAFE_INTEGER ? rest : { ...rest, maximum };
  const { type, pattern, format } = schema;
  if (type === 'object' && 'additionalProperties' in schema) return { ...schema, type: ['object', 'null'] };
  const constrained =
    type === 'number' || type === 'integer' || type === 'boolean' || (type === 'string' && (pattern ?? format) !== undefined);
  if (!constrained) return schema;
  const { description, default: standard, ...check } = schema;
  return {
    ...(description !== undefined && { description }),
    ...(standard !== undefined && { default: standard }),
    anyOf: [check, fromEnvironment],
  };
}
