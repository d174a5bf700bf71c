import { copyMember, copyMembers, copyOf } from '../../../wire/members.js';
import { setMember } from '../../../wire/own-members.js';
import { isObject, type JsonObject } from '../../../wire/json-object.js';

/**
 * Converts a JSON schema to what `parametersJsonSchema` and `responseJsonSchema` accept: both are JSON schema, which
 * Google reads by narrower rules than the standard's (2026-11). What Google ignores stays; what it refuses or would not
 * understand is expressed otherwise:
 *
 * - beside `$ref` only members that begin with `$` are allowed; others go beside an `anyOf` of the reference
 * - `definitions` is unknown, `$defs` is known
 * - `const` is unknown, an `enum` of one value is known
 * - `allOf` is unknown; with a single member it is replaced by that member
 */
export function googleSchema(schema: JsonObject): JsonObject {
  if (!('$schema' in schema)) return converted(schema) as JsonObject;
  return converted(Object.assign(copyOf(schema), { $schema: undefined })) as JsonObject;
}

const maps = new Set(['properties', '$defs', 'definitions', 'patternProperties']);

/** The members of these keywords are values and not schemas. */
const values = new Set(['enum', 'const', 'default', 'example', 'examples', 'required', 'propertyOrdering']);

function converted(value: unknown): unknown {
  if (Array.isArray(value)) return mapped(value, []);
  if (typeof value !== 'object' || value === null) return value;
  const schema = value as JsonObject;
  const { $ref } = schema;
  if (typeof $ref === 'string') {
    if (Object.keys(schema).every(isBesideReference)) return reference(schema);
    return converted(Object.assign(copyOf(schema), { $ref: undefined, anyOf: [{ $ref }] }));
  }
  const { allOf } = schema;
  if (Array.isArray(allOf) && allOf.length === 1 && isObject(allOf[0]))
    return converted(Object.assign(copyMembers(schema, copyOf(allOf[0])), { allOf: undefined }));
  const result: JsonObject = {};
  for (const key of Object.keys(schema)) {
    const isScalar = key === 'const' && (typeof schema[key] === 'string' || typeof schema[key] === 'number');
    if (!isScalar && (typeof schema[key] === 'string' || values.has(key))) {
      copyMember(schema, key, result);
      continue;
    }
    const member = schema[key];
    if (member === undefined) continue;
    if (isScalar) result['enum'] = [member];
    else if (maps.has(key) && isObject(member)) result[key === 'definitions' ? '$defs' : key] = convertedMap(member);
    else setMember(result, key, converted(member));
  }
  return result;
}

function convertedMap(map: JsonObject): JsonObject {
  return mapped(map, {});
}

/** @param to gets the members or elements, each converted */
function mapped<T extends object>(from: object, to: T): T {
  for (const name of Object.keys(from)) setMember(to, name, converted((from as JsonObject)[name]));
  return to;
}

function isBesideReference(key: string): boolean {
  return key.startsWith('$') || key === 'definitions';
}

function reference(schema: JsonObject): JsonObject {
  const result: JsonObject = {};
  for (const key of Object.keys(schema)) {
    const member = schema[key];
    if (key === '$ref') result[key] = (member as string).replace(/^#\/definitions\//, '#/$defs/');
    else if ((key === '$defs' || key === 'definitions') && isObject(member)) result['$defs'] = convertedMap(member);
    else if (key !== 'definitions') result[key] = member;
  }
  return result;
}
