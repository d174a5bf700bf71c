/** A schema of JSON Schema 2020-12, as OpenAPI 3.1 has it. */
export interface JsonSchema {
  $ref?: string;
  type?: string | string[];
  enum?: unknown[];
  const?: unknown;
  properties?: Record<string, JsonSchema>;
  required?: string[];
  additionalProperties?: JsonSchema | boolean;
  items?: JsonSchema;
  anyOf?: JsonSchema[];
  allOf?: JsonSchema[];
  description?: string;
  [keyword: string]: unknown;
}

export const refTo = (name: string): JsonSchema => ({ $ref: `#/components/schemas/${name}` });

/** The schema for a value that may be null as well. */
function orNull(schema: JsonSchema): JsonSchema {
  const { type } = schema;
  if (schema.anyOf && Object.keys(schema).length === 1) return { anyOf: [...schema.anyOf, { type: 'null' }] };
  if (type === undefined || schema.const !== undefined) return { anyOf: [schema, { type: 'null' }] };
  return { ...schema, type: [...new Set([type, 'null'].flat())], ...(schema.enum && { enum: [...schema.enum, null] }) };
}

/** The schema for values of any of the given ones. */
export function anyOf(schemas: readonly JsonSchema[]): JsonSchema {
  const some = schemas.filter(({ type }) => type !== 'null');
  if (some.length < schemas.length) return some.length === 0 ? { type: 'null' } : orNull(anyOf(some));
  const [first] = schemas;
  if (first && schemas.length === 1) return first;
  const values = new Set(schemas.map((schema) => schema.const));
  if (values.has(true) && values.has(false))
    return anyOf([...schemas.filter((schema) => typeof schema.const !== 'boolean'), { type: 'boolean' }]);
  const words = schemas.flatMap((schema) => (schema.const === undefined ? (schema.enum ?? []) : [schema.const]));
  if (schemas.every((schema) => schema.const !== undefined || schema.enum) && words.every((word) => typeof word === 'string'))
    return { type: 'string', enum: [...new Set(words)] };
  return { anyOf: [...schemas] };
}
