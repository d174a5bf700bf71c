import * as z from 'zod';
import { configSchema } from './config.schema.js';
import type { ProviderType } from './provider-type.js';
import { isRecord } from './record.js';

type JsonSchema = Record<string, unknown>;

/** `${NAME}` may stand for any value. */
const fromEnvironment = { type: 'string', pattern: '\\$\\{[^}]+\\}' };

/** The configuration file's JSON schema, for editors: what they can check of it, and what each setting means. */
export function configJsonSchema(types: readonly ProviderType[]): JsonSchema {
  const schema = forFiles(z.toJSONSchema(configSchema, { io: 'input' })) as JsonSchema & { properties: { providers: ProvidersSchema } };
  const entry = schema.properties.providers.additionalProperties;
  // Whether it is needed depends on the type, which the entry's name may tell.
  delete entry.required;
  const { description } = entry.properties.type;
  entry.properties.type = { description, anyOf: [{ enum: ['openai-compatible', ...types.map(({ type }) => type)] }, { type: 'string' }] };
  return { ...schema, title: 'Switchyard configuration' };
}

interface ProvidersSchema {
  additionalProperties: { required?: string[]; properties: { type: JsonSchema } };
}

/** A file may say less than the validated object has: a section may be empty, and a value may come from the environment. */
function forFiles(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(forFiles);
  if (!isRecord(value)) return value;
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
