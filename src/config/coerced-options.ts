import { isObject } from '../wire/json-object.js';
import { coerce } from './schema-shape.js';

/**
 * Turns texts into the numbers and booleans that a JSON schema wants in their places: what comes from the environment
 * is text. In a union a text stays where one of the members takes it; of members that are objects those count whose
 * constants the value has. What does not fit stays, for the schema to refuse. References (`$ref`) are not followed.
 */
export function coercedOptions(value: unknown, schema: unknown): unknown {
  if (typeof value === 'string') return coercedText(value, membersOf(schema));
  if (Array.isArray(value)) {
    const items = membersOf(schema).flatMap((member) => (isObject(member['items']) ? [member['items']] : []));
    return items.length === 0 ? value : value.map((one) => coercedOptions(one, { anyOf: items }));
  }
  if (!isObject(value)) return value;
  const members = membersOf(schema).filter((member) => fits(value, member));
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => {
      const schemas = members.flatMap((member) => schemaOf(member, name));
      return [name, schemas.length === 0 ? inner : coercedOptions(inner, { anyOf: schemas })];
    }),
  );
}

type Member = Record<string, unknown>;

/** The schemas of which a value has to meet one. Of those that it has to meet all of, those that name a type count. */
function membersOf(schema: unknown): Member[] {
  if (!isObject(schema)) return [];
  const { anyOf, oneOf, allOf } = schema;
  const either = Array.isArray(anyOf) ? anyOf : oneOf;
  if (Array.isArray(either)) return either.flatMap(membersOf);
  if (Array.isArray(allOf)) return allOf.flatMap(membersOf).filter((member) => typesOf(member).length > 0);
  return [schema];
}

function coercedText(text: string, members: readonly Member[]): unknown {
  const types = new Set<unknown>();
  for (const member of members) {
    const own = typesOf(member);
    if (own.length === 0 || own.includes('string')) return text;
    for (const type of own) types.add(type);
  }
  const value = types.has('number') || types.has('integer') ? coerce(text, { kind: 'number' }) : text;
  return typeof value === 'string' && types.has('boolean') ? coerce(value, { kind: 'boolean' }) : value;
}

/** The types of JSON schema that a member takes; none where it does not say. */
function typesOf({ type, const: constant, enum: values }: Member): unknown[] {
  if (type !== undefined) return Array.isArray(type) ? type : [type];
  if (constant !== undefined) return [typeof constant];
  return Array.isArray(values) ? values.map((one) => typeof one) : [];
}

function fits(value: Record<string, unknown>, { properties }: Member): boolean {
  if (!isObject(properties)) return true;
  return Object.entries(properties).every(
    ([name, schema]) => !isObject(schema) || typeof schema['const'] !== 'string' || schema['const'] === value[name],
  );
}

function schemaOf({ properties, additionalProperties }: Member, name: string): unknown[] {
  if (isObject(properties) && Object.hasOwn(properties, name)) return [properties[name]];
  return isObject(additionalProperties) ? [additionalProperties] : [];
}
