import { jsonBytes } from '../../json/json-bytes.js';
import { copyMember, copyOf, valueAt } from '../../wire/members.js';
import type { ToolSchemaRule } from '../../providers/contract/request-rules.js';
import { isObject, type JsonObject } from '../../wire/json-object.js';

const UNIONS = ['anyOf', 'oneOf', 'allOf', 'not', 'enum', 'const'];

/** Bytes of JSON of unions that are repeated in a description. */
const DESCRIBED = 4_000;

/**
 * The schema of a function's parameters as the vendor takes it.
 * @param dropped is told of each keyword that only the description has then
 * @returns the same object where nothing changes
 */
export function fittedSchema(schema: JsonObject, rule: ToolSchemaRule, dropped: (keyword: string) => void): JsonObject {
  let fitted = schema;
  const unions = rule.noRootUnions ? UNIONS.filter((keyword) => Object.hasOwn(schema, keyword)) : [];
  if (unions.length > 0) {
    unions.forEach(dropped);
    fitted = withoutUnions(schema, unions);
  }
  if (rule.rootObject && fitted['type'] !== 'object' && mayBeObject(fitted)) fitted = { ...copyOf(fitted), type: 'object' };
  if (rule.rootObject && fitted !== schema && !isObject(fitted['properties'])) fitted = { ...fitted, properties: {} };
  return rule.objectProperties ? (withObjects(fitted) as JsonObject) : fitted;
}

function mayBeObject({ type }: JsonObject): boolean {
  return type == null || (Array.isArray(type) && type.includes('object'));
}

/** The properties of all variants together, of which each is required that all variants require. */
function withoutUnions(schema: JsonObject, unions: readonly string[]): JsonObject {
  const fitted = copyOf(schema);
  const removed: JsonObject = {};
  const properties = new Map<string, Set<unknown>>();
  const addProperties = (own: unknown): void => {
    for (const [name, value] of Object.entries(isObject(own) ? own : {}))
      properties.set(name, (properties.get(name) ?? new Set()).add(value));
  };
  addProperties(schema['properties']);
  const required = new Set(listOf(schema['required']));
  for (const keyword of unions) {
    copyMember(schema, keyword, removed);
    fitted[keyword] = undefined;
    const list = listOf(valueAt(removed, keyword));
    const variants = Array.from(list.keys(), (index) => valueAt(list, `${index}`)).filter(isObject);
    if (keyword === 'enum' || variants.length === 0) continue;
    const requiring = new Map<unknown, number>();
    for (const variant of variants) {
      addProperties(variant['properties']);
      for (const name of new Set(listOf(variant['required']))) requiring.set(name, (requiring.get(name) ?? 0) + 1);
    }
    for (const [name, times] of requiring) if (keyword === 'allOf' || times === variants.length) required.add(name);
  }
  if (jsonBytes(removed) <= DESCRIBED)
    fitted['description'] = [schema['description'], `Valid by: ${JSON.stringify(removed)}`].filter(Boolean).join('\n\n');
  fitted['properties'] = Object.fromEntries(
    Array.from(properties, ([name, [only, ...more]]) => [name, more.length > 0 ? { anyOf: [only, ...more] } : only]),
  );
  if (required.size > 0) fitted['required'] = [...required];
  return fitted;
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Keywords whose value is a schema, a list of schemas, or schemas by name. */
const ONE = ['items', 'additionalProperties', 'not'];
const LISTS = ['anyOf', 'oneOf', 'allOf', 'prefixItems'];
const MAPS = ['properties', '$defs', 'definitions', 'patternProperties'];

/** @returns the same value where all properties are objects and all arrays have items */
function withObjects(schema: unknown): unknown {
  if (!isObject(schema)) return schema;
  let changed: JsonObject | undefined;
  const set = (keyword: string, value: unknown): void => {
    if (value !== schema[keyword]) (changed ??= copyOf(schema))[keyword] = value;
  };
  for (const keyword of ONE) if (isObject(schema[keyword])) set(keyword, withObjects(schema[keyword]));
  for (const keyword of LISTS) if (Array.isArray(schema[keyword])) set(keyword, mapped(schema[keyword], withObjects));
  for (const keyword of MAPS) {
    const members = schema[keyword];
    if (!isObject(members)) continue;
    const values = Object.values(members);
    const fitted = mapped(values, (value) => (keyword.endsWith('roperties') && value === true ? {} : withObjects(value)));
    if (fitted !== values) set(keyword, Object.fromEntries(Object.keys(members).map((name, n) => [name, fitted[n]])));
  }
  const isArray = schema['type'] === 'array' || (Array.isArray(schema['type']) && schema['type'].includes('array'));
  if (isArray && schema['items'] === undefined && schema['prefixItems'] === undefined) set('items', {});
  return changed ?? schema;
}

/** @returns the same list where no element changes */
export function mapped<T>(list: readonly T[], change: (element: T) => T): readonly T[] {
  let copy: T[] | undefined;
  for (let n = 0; n < list.length; n++) {
    const value = change(list[n]!);
    if (value !== list[n]) (copy ??= [...list])[n] = value;
  }
  return copy ?? list;
}
