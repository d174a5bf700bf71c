import { readFileSync } from 'node:fs';
import { isObject, type JsonObject } from '../../src/wire/json-object.js';

interface Pair<T> {
  /** Where the member is, with the types or roles of objects: `.tools[](function).strict`. */
  readonly path: string;
  readonly present: T;
  /** The same without the member. */
  readonly absent: T;
}

/**
 * Each optional member of a published request, at any depth, in the smallest request that has it; and in each object a
 * member that nobody knows, `unheard`.
 * @param file of JSON Schema: `operations` by name, and `$defs`
 */
export function publishedMembers(file: string, operation: string): Pair<JsonObject>[] {
  const { operations, $defs } = JSON.parse(readFileSync(file, 'utf8')) as Record<string, Record<string, JsonObject>>;
  const members = [...new Published($defs!).members(operations![operation]!, '', [])].filter(
    (pair): pair is Pair<JsonObject> => isObject(pair.present) && isObject(pair.absent),
  );
  return [...new Map(members.map((pair) => [pair.path, pair])).values()];
}

class Published {
  constructor(private readonly defs: Readonly<Record<string, JsonObject>>) {}

  /** @param within names of the definitions that the schema is in, none of which is entered again */
  *members(schema: unknown, path: string, within: readonly string[]): Generator<Pair<unknown>> {
    for (const { variant, refs } of this.#variants(schema, within)) {
      const { items, properties } = variant;
      if (items !== undefined)
        for (const { path: at, present, absent } of this.members(items, `${path}[]`, refs))
          yield { path: at, present: [present], absent: [absent] };
      if (!isObject(properties)) continue;
      const required = path === '' ? [] : requiredOf(variant);
      const base = path === '' ? {} : (this.#smallest(variant, refs) as JsonObject);
      const kind = base['type'] ?? base['role'];
      const at = typeof kind === 'string' ? `${path}(${kind})` : path;
      for (const [name, member] of Object.entries(properties)) {
        const { [name]: own, ...absent } = base;
        const whole = own ?? this.#smallest(member, refs, name);
        if (!required.includes(name)) yield { path: `${at}.${name}`, present: { ...absent, [name]: whole }, absent };
        for (const inner of this.members(member, `${at}.${name}`, refs))
          yield { path: inner.path, present: { ...absent, [name]: inner.present }, absent: { ...absent, [name]: inner.absent } };
      }
      if (path !== '') yield { path: `${at}.unheard`, present: { ...base, unheard: 1 }, absent: base };
    }
  }

  #variants(schema: unknown, refs: readonly string[]): { variant: JsonObject; refs: readonly string[] }[] {
    if (!isObject(schema)) return [];
    const { $ref, anyOf, oneOf, allOf } = schema;
    if (typeof $ref === 'string') {
      const name = $ref.replace('#/$defs/', '');
      return refs.includes(name) ? [] : this.#variants(this.defs[name], [...refs, name]);
    }
    const inner = [anyOf, oneOf, allOf].flatMap((list) => (Array.isArray(list) ? (list as unknown[]) : []));
    return [{ variant: schema, refs }, ...inner.flatMap((one) => this.#variants(one, refs))];
  }

  #smallest(schema: unknown, refs: readonly string[], called = ''): unknown {
    if (!isObject(schema)) return 'text';
    if (called === 'parameters' || called === 'schema') return someSchema;
    const { $ref, anyOf, oneOf, allOf, const: only, enum: words, items, properties, additionalProperties, minimum } = schema;
    if (typeof $ref === 'string') return this.#smallest(this.defs[$ref.replace('#/$defs/', '')], refs, called);
    if (only !== undefined) return only;
    if (Array.isArray(words)) return (words as unknown[]).find((word) => word !== null && word !== 'auto' && word !== 'none') ?? words[0];
    const choice = [anyOf, oneOf, allOf].find(Array.isArray) as unknown[] | undefined;
    if (choice)
      return this.#smallest(
        choice.find((one) => isObject(one) && one['type'] !== 'null'),
        refs,
        called,
      );
    const type = [schema['type']].flat().find((one) => one !== 'null');
    if (properties !== undefined || type === 'object') {
      const members = requiredOf(schema).map((name) => [name, this.#smallest((properties as JsonObject | undefined)?.[name], refs, name)]);
      return members.length > 0 || properties || !additionalProperties
        ? Object.fromEntries(members)
        : { key: this.#smallest(additionalProperties, refs) };
    }
    if (type === 'array') return [this.#smallest(items, refs)];
    if (type === 'boolean') return true;
    return type === 'integer' || type === 'number' ? Math.max(1, Number(minimum ?? 1)) : (texts[called] ?? 'text');
  }
}

const someSchema = { type: 'object', properties: { a: { type: 'string' } } };

/** Texts that are more than any text. */
const texts: Readonly<Record<string, string>> = {
  url: 'data:image/png;base64,AAAA',
  image_url: 'data:image/png;base64,AAAA',
  file_url: 'https://example.com/a.pdf',
  file_data: 'data:application/pdf;base64,AAAA',
  data: 'AAAA',
  arguments: '{}',
};

/** Where the types of a client are the source, what a request has to have is not told. */
const needed: ReadonlySet<string> = new Set(
  'allowed_tools arguments call_id content custom data definition id file file_data function grammar image_url input input_audio json_schema mode name output role schema summary syntax text tool_call_id tools type url'.split(
    ' ',
  ),
);

function requiredOf({ properties, required }: JsonObject): readonly string[] {
  const names = Object.keys(properties ?? {});
  // A description is that of the schema next to it.
  const told = [...((required ?? []) as readonly string[]), ...names.filter((name) => name === 'schema')];
  return told.some((name) => name !== 'type' && name !== 'role') ? told : names.filter((name) => needed.has(name));
}
