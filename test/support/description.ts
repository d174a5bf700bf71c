import { apiDocuments } from './api-documents.js';

/** JSON Schema of the description, of which only these are used. */
interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
  readonly items?: Schema;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly minimum?: number;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
}

/** A body of about so many bytes for the model `m`, most of which are at one place. */
export type DescribedBody = (bytes: number) => Buffer;

/** Makes JSON of a body around JSON of the place. */
type Around = (json: string) => string;
type Path = readonly (string | number)[];

/** Where a body that is described has a value of one type. */
interface Place {
  readonly schema: Schema;
  readonly path: Path;
  readonly around: Around;
}

/** A JSON value, and where in it there is an object. */
export interface Level {
  readonly value: unknown;
  readonly path: Path;
}

/** Times that one schema may be within itself. */
const MAX_NESTED = 2;
/** Elements of a list beyond which every body is refused. */
const MAX_ELEMENTS = 9_900;
/** Who says what is in a body, where its format has more than one. */
const ROLES = ['user', 'assistant', 'tool', 'system'] as const;
/** Bytes of texts in the elements of a list: as many values as a body may have, and as many elements. */
const ELEMENT_TEXT = 100;

/** A body for each place that the description of the API has in those of an operation: one text, many elements, or many members. */
export function describedBodies(path: string): DescribedBody[] {
  const { post } = apiDocuments.customers.paths[path] as {
    post: { requestBody: { content: Record<string, { schema: Schema }> } };
  };
  /** By a small body of each. */
  const bodies = new Map<string, DescribedBody>();
  for (const role of ROLES) {
    const description = new Description(apiDocuments.customers, role);
    for (const place of description.places(post.requestBody.content['application/json']!.schema)) {
      if (role !== ROLES[0] && !['messages', 'input'].includes(String(place.path[0]))) continue;
      for (const json of description.largeAt(place)) {
        const body = (bytes: number): Buffer => Buffer.from(place.around(json(bytes)));
        const small = body(1_000).toString();
        if (!bodies.has(small)) bodies.set(small, body);
      }
    }
  }
  return [...bodies.values()];
}

/** The bodies that a description of the API has. */
export class Description {
  readonly #schemas: Readonly<Record<string, Schema>>;

  /** @param role of who says what is in a body */
  constructor(
    { components }: { readonly components?: { readonly schemas?: object } },
    private readonly role: string = ROLES[0],
  ) {
    this.#schemas = (components?.schemas ?? {}) as Record<string, Schema>;
  }

  /** Every object in what a schema describes: each is in the smallest value that has it. */
  levels(schema: Schema): Level[] {
    return Array.from(this.places(schema))
      .filter((place) => typeOf(place.schema) === 'object')
      .map((place) => ({ value: JSON.parse(place.around(this.#instance(place.schema, 1))) as unknown, path: place.path }));
  }

  *places(given: Schema, path: Path = [], around: Around = (json) => json, within: readonly string[] = []): Generator<Place> {
    const name = given.$ref?.split('/').at(-1);
    if (name !== undefined && within.filter((one) => one === name).length >= MAX_NESTED) return;
    const inside = name === undefined ? within : [...within, name];
    for (const schema of this.#branches(given)) {
      yield { schema, path, around };
      if (typeOf(schema) === 'array') yield* this.places(schema.items ?? {}, [...path, 0], (json) => around(`[${json}]`), inside);
      if (typeOf(schema) !== 'object') continue;
      const named = Object.entries(schema.properties ?? {});
      for (const [key, one] of named) {
        const others = named
          .filter(([other]) => other !== key && this.#isNeeded(schema, other))
          .map(([other, that]) => this.#member(other, that));
        yield* this.places(one, [...path, key], (json) => around(`{${[...others, `"${key}":${json}`].join(',')}}`), inside);
      }
    }
  }

  /** JSON of what may be large at a place, of about so many bytes. */
  largeAt({ schema }: Place): ((bytes: number) => string)[] {
    const type = typeOf(schema);
    if (type === 'array') return this.#branches(schema.items ?? {}).map((item) => this.#elements(item, schema.maxItems));
    if (type === 'string' && schema.enum === undefined && schema.const === undefined)
      return [(bytes) => JSON.stringify(`€\n${'\n'.repeat(bytes / 2)}`)];
    const more = schema.additionalProperties;
    if (type !== 'object' || (schema.properties && typeof more !== 'object')) return [];
    const value = typeof more === 'object' ? this.#instance(more, 1) : '{"type":"string"}';
    return [
      (bytes) => {
        const count = Math.max(1, Math.min(4_000, Math.floor(bytes / 100)));
        const key = 'k'.repeat(Math.min(200, bytes / count / 2));
        return `{${Array.from({ length: count }, (_, index) => `"${key}${index}":${value}`).join(',')}}`;
      },
    ];
  }

  #elements(item: Schema, maxItems = Infinity): (bytes: number) => string {
    const texts = (size: number) => this.#instance(item, size, true);
    return (bytes) => {
      const least = texts(ELEMENT_TEXT).length + 1;
      const count = Math.max(1, Math.min(maxItems, MAX_ELEMENTS, Math.floor(bytes / least)));
      const places = Math.max(1, texts(ELEMENT_TEXT + 1).length + 1 - least);
      const one = texts(Math.max(1, Math.floor(ELEMENT_TEXT + (bytes / count - least) / places)));
      return `[${Array.from({ length: count }, () => one).join(',')}]`;
    };
  }

  #isNeeded({ required = [], properties = {} }: Schema, key: string): boolean {
    return required.includes(key) || properties[key]!.const !== undefined;
  }

  #member(key: string, schema: Schema): string {
    return `"${key}":${key === 'model' ? '"m"' : this.#instance(schema, 1)}`;
  }

  /** JSON of a value, with texts of so many bytes. @param whole has all members that are no lists, and not only those that it needs */
  #instance(given: Schema, size: number, whole = false, depth = 0): string {
    const schema = this.#branches(given)[0]!;
    if (schema.const !== undefined) return JSON.stringify(schema.const);
    if (schema.enum) return JSON.stringify(schema.enum.includes(this.role) ? this.role : schema.enum[0]);
    switch (typeOf(schema)) {
      case 'object': {
        const named = Object.entries(schema.properties ?? {}).filter(
          ([key, one]) => this.#isNeeded(schema, key) || (whole && depth < 3 && typeOf(this.#branches(one)[0]!) !== 'array'),
        );
        return `{${named.map(([key, one]) => `"${key}":${this.#instance(one, size, whole, depth + 1)}`).join(',')}}`;
      }
      case 'array':
        return (schema.minItems ?? 0) > 0 || depth < 2 ? `[${this.#instance(schema.items ?? {}, size, whole, depth + 1)}]` : '[]';
      case 'integer':
      case 'number':
        return String(schema.minimum ?? 1);
      case 'boolean':
        return 'true';
      default:
        return `"${'x'.repeat(Math.min(Math.max(size, schema.minLength ?? 1), schema.maxLength ?? Infinity))}"`;
    }
  }

  #branches({ $ref, ...schema }: Schema): Schema[] {
    if ($ref !== undefined) return this.#branches(this.#schemas[$ref.split('/').at(-1)!]!);
    const either = schema.anyOf ?? schema.oneOf;
    if (either) return either.flatMap((one) => this.#branches(one)).filter((one) => typeOf(one) !== 'null');
    if (schema.allOf) return schema.allOf.flatMap((one) => this.#branches(one));
    return [schema];
  }
}

function typeOf({ type, properties, items }: Schema): string | undefined {
  if (type === undefined) return properties ? 'object' : items ? 'array' : undefined;
  return typeof type === 'string' ? type : type.find((one) => one !== 'null');
}

/** Every level of a value. */
export function levelsIn(value: unknown, whole = value, path: Path = []): Level[] {
  if (typeof value !== 'object' || value === null) return [];
  const below = Object.entries(value).flatMap(([name, member]) => levelsIn(member, whole, [...path, name]));
  return Array.isArray(value) ? below : [{ value: whole, path }, ...below];
}

/** JSON of a value with one more member at a level, whatever its name. */
export function withMember({ value, path }: Level, name: string, member: unknown): string {
  const copy = structuredClone(value);
  const holder = path.reduce<unknown>((at, step) => (at as Record<string | number, unknown>)[step], copy);
  Object.defineProperty(holder, name, { value: member, enumerable: true, configurable: true, writable: true });
  return JSON.stringify(copy);
}
