import { copyMember } from '../../../wire/members.js';
import { isObject, type JsonObject } from '../../../wire/json-object.js';
import { ownOf } from '../../../wire/own-members.js';

/** Schemas within schemas at most, where references are followed. */
const MAX_DEPTH = 200;

/**
 * Keywords that constrained decoding accepts, as of November 2026; the vendor's own client libraries keep the same
 * list.
 */
const kept = new Set(['$ref', 'type', 'enum', 'const', 'default', 'title', 'description', 'required']);
const formats = new Set(['date-time', 'time', 'date', 'duration', 'email', 'hostname', 'uri', 'ipv4', 'ipv6', 'uuid']);
const maps = new Set(['properties', '$defs', 'definitions']);
const variants = new Set(['anyOf', 'oneOf', 'allOf']);
/** Keywords that constrain nothing, or that are handled where objects are closed. */
const silent = new Set(['$schema', '$id', '$comment', 'examples', 'additionalProperties']);

interface ClosedSchema {
  readonly schema: JsonObject;
  /** Keywords that were moved to the description, because constrained decoding does not know them. */
  readonly loosened: readonly string[];
}

/**
 * Converts a JSON schema to the subset that the vendor's constrained decoding accepts: objects are closed, and
 * constraints that it does not know are named in the description. What is valid by the result is valid by the original
 * schema, except for the loosened keywords.
 * @returns undefined where the subset cannot express the schema: objects whose property names the model chooses, values
 * of any type, recursion, tuples
 */
export function closedSchema(schema: JsonObject): ClosedSchema | undefined {
  const loosened = new Set<string>();
  try {
    return { schema: new SchemaCloser(schema, loosened).close(schema), loosened: [...loosened] };
  } catch (error) {
    if (error instanceof NotSayable) return undefined;
    throw error;
  }
}

class NotSayable extends Error {}

class SchemaCloser {
  /**
   * References, each with whether its target was already converted. It is false during the conversion, so that the same
   * reference met again is a recursion.
   */
  readonly #references = new Map<string, boolean>();
  #depth = 0;

  constructor(
    private readonly root: JsonObject,
    private readonly loosened: Set<string>,
  ) {}

  close(schema: unknown): JsonObject {
    if (!isObject(schema) || ++this.#depth > MAX_DEPTH) throw new NotSayable();
    const closed: JsonObject = {};
    const unsaid: string[] = [];
    for (const keyword of Object.keys(schema)) {
      if (kept.has(keyword)) {
        copyMember(schema, keyword, closed);
        continue;
      }
      const value = schema[keyword];
      if (maps.has(keyword)) closed[keyword] = this.#members(value);
      else if (variants.has(keyword)) closed[keyword === 'oneOf' ? 'anyOf' : keyword] = this.#variants(value);
      else if (keyword === 'items') closed['items'] = this.close(value);
      else if (keyword === 'format' && formats.has(value as string)) closed['format'] = value;
      else if (keyword === 'minItems' && (value === 0 || value === 1)) closed['minItems'] = value;
      else if (!silent.has(keyword) && value !== false && value !== null) unsaid.push(keyword);
    }
    this.#closeObject(schema, closed);
    this.#follow(schema['$ref']);
    if (!['type', '$ref', 'enum', 'const', 'anyOf', 'allOf'].some((keyword) => Object.hasOwn(closed, keyword))) throw new NotSayable();
    this.#describe(schema, closed, unsaid);
    this.#depth--;
    return closed;
  }

  #members(value: unknown): JsonObject {
    if (!isObject(value)) throw new NotSayable();
    return Object.fromEntries(Object.entries(value).map(([name, schema]) => [name, this.close(schema)]));
  }

  #variants(value: unknown): JsonObject[] {
    if (!Array.isArray(value)) throw new NotSayable();
    return value.map((schema) => this.close(schema));
  }

  #closeObject(schema: JsonObject, closed: JsonObject): void {
    const { type, properties, additionalProperties } = schema;
    const describesObject =
      type === 'object' || (Array.isArray(type) && type.includes('object')) || (type === undefined && properties !== undefined);
    if (!describesObject) return;
    const isMap =
      isObject(additionalProperties) || 'patternProperties' in schema || (properties === undefined && additionalProperties !== false);
    if (isMap) throw new NotSayable();
    closed['type'] ??= 'object';
    closed['properties'] ??= {};
    closed['additionalProperties'] = false;
  }

  #follow(reference: unknown): void {
    if (typeof reference !== 'string') return;
    const seen = this.#references.get(reference);
    if (seen) return;
    let target: unknown = this.root;
    for (const step of reference.split('/').slice(1)) target = isObject(target) ? ownOf(target, step) : undefined;
    if (seen === false || !reference.startsWith('#/')) throw new NotSayable();
    this.#references.set(reference, false);
    this.close(target);
    this.#references.set(reference, true);
  }

  #describe(schema: JsonObject, closed: JsonObject, unsaid: readonly string[]): void {
    if (unsaid.length === 0) return;
    for (const keyword of unsaid) this.loosened.add(keyword);
    const said = unsaid.map((keyword) => `${keyword}: ${JSON.stringify(schema[keyword])}`).join(', ');
    closed['description'] = [closed['description'], `{${said}}`].filter(Boolean).join('\n\n');
  }
}
