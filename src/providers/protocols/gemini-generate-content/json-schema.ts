import { isObject, type JsonObject } from '../../../wire/json-object.js';

/**
 * Converts a JSON schema to what `parametersJsonSchema` and `responseJsonSchema` accept: both are JSON schema, which
 * Google reads by narrower rules than the standard's (2026-11). What Google ignores stays; what it refuses or would not
 * understand is expressed otherwise:
 *
 * - beside `$ref` only members that begin with `$` are allowed
 * - `definitions` is unknown, `$defs` is known
 * - `const` is unknown, an `enum` of one value is known
 * - `allOf` is unknown; with a single member it is replaced by that member
 */
export function googleSchema(schema: JsonObject): JsonObject {
  const { $schema: _dialect, ...rest } = schema;
  return converted(rest) as JsonObject;
}

const maps = new Set(['properties', '$defs', 'definitions', 'patternProperties']);

/** The members of these keywords are values and not schemas. */
const values = new Set(['enum', 'const', 'default', 'example', 'examples', 'required', 'propertyOrdering']);

function converted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(converted);
  if (typeof value !== 'object' || value === null) return value;
  const schema = value as JsonObject;
  if (typeof schema['$ref'] === 'string') return reference(schema);
  const { allOf } = schema;
  if (Array.isArray(allOf) && allOf.length === 1 && isObject(allOf[0])) return converted({ ...allOf[0], ...schema, allOf: undefined });
  const result: JsonObject = {};
  for (const [key, member] of Object.entries(schema)) {
    if (member === undefined) continue;
    if (key === 'const' && (typeof member === 'string' || typeof member === 'number')) result['enum'] = [member];
    else if (values.has(key)) result[key] = member;
    else if (maps.has(key) && isObject(member)) result[key === 'definitions' ? '$defs' : key] = convertedMap(member);
    else result[key] = converted(member);
  }
  return result;
}

function convertedMap(map: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(map).map(([name, member]) => [name, converted(member)]));
}

function reference(schema: JsonObject): JsonObject {
  const result: JsonObject = {};
  for (const [key, member] of Object.entries(schema)) {
    if (key === '$ref') result[key] = (member as string).replace(/^#\/definitions\//, '#/$defs/');
    else if ((key === '$defs' || key === 'definitions') && isObject(member)) result['$defs'] = convertedMap(member);
    else if (key.startsWith('$')) result[key] = member;
  }
  return result;
}
