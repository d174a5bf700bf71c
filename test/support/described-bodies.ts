import { readFileSync } from 'node:fs';

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
  const { paths, components } = JSON.parse(readFileSync(new URL('../../dist/openapi.json', import.meta.url), 'utf8')) as {
    paths: Record<string, { post: { requestBody: { content: { 'application/json': { schema: Schema } } } } }>;
    components: { schemas: Record<string, Schema> };
  };
  return new Walk(components.schemas).of(paths[path]!.post.requestBody.content['application/json'].schema);
}

class Walk {
  /** By a small body of each. */
  readonly #bodies = new Map<string, DescribedBody>();
  #role: string = ROLES[0];

  constructor(private readonly schemas: Readonly<Record<string, Schema>>) {}

  of(schema: Schema): DescribedBody[] {
    for (this.#role of ROLES) this.#walk(schema, '', (json) => json, []);
    return [...this.#bodies.values()];
  }

  #walk(given: Schema, where: string, around: Around, within: readonly string[]): void {
    const name = given.$ref?.split('/').at(-1);
    if (name !== undefined && within.filter((one) => one === name).length >= MAX_NESTED) return;
    const inside = name === undefined ? within : [...within, name];
    for (const schema of this.#branches(given)) {
      const type = typeOf(schema);
      if (type === 'object') this.#members(schema, where, around, inside);
      else if (type === 'array') this.#elements(schema, where, around, inside);
      else if (type === 'string' && schema.enum === undefined && schema.const === undefined) this.#text(where, around);
    }
  }

  #members(schema: Schema, where: string, around: Around, within: readonly string[]): void {
    const named = Object.entries(schema.properties ?? {});
    for (const [key, one] of named) {
      const others = named
        .filter(([other]) => other !== key && this.#isNeeded(schema, other))
        .map(([other, that]) => this.#member(other, that));
      this.#walk(one, where === '' ? key : `${where}.${key}`, (json) => around(`{${[...others, `"${key}":${json}`].join(',')}}`), within);
    }
    if (named.length === 0 || typeof schema.additionalProperties === 'object') {
      const value = typeof schema.additionalProperties === 'object' ? this.#instance(schema.additionalProperties, 1) : '{"type":"string"}';
      this.#add(where, (bytes) => {
        const count = Math.max(1, Math.min(4_000, Math.floor(bytes / 100)));
        const key = 'k'.repeat(Math.min(200, bytes / count / 2));
        return around(`{${Array.from({ length: count }, (_, index) => `"${key}${index}":${value}`).join(',')}}`);
      });
    }
  }

  #elements(schema: Schema, where: string, around: Around, within: readonly string[]): void {
    const { items = {}, maxItems = Infinity } = schema;
    this.#walk(items, `${where}[]`, (json) => around(`[${json}]`), within);
    for (const item of this.#branches(items)) {
      const texts = (size: number) => this.#instance(item, size, true);
      this.#add(`${where}[]`, (bytes) => {
        const least = texts(ELEMENT_TEXT).length + 1;
        const count = Math.max(1, Math.min(maxItems, MAX_ELEMENTS, Math.floor(bytes / least)));
        const places = Math.max(1, texts(ELEMENT_TEXT + 1).length + 1 - least);
        const one = texts(Math.max(1, Math.floor(ELEMENT_TEXT + (bytes / count - least) / places)));
        return around(`[${Array.from({ length: count }, () => one).join(',')}]`);
      });
    }
  }

  #text(where: string, around: Around): void {
    this.#add(where, (bytes) => around(JSON.stringify(`€\n${'\n'.repeat(bytes / 2)}`)));
  }

  #add(where: string, json: (bytes: number) => string): void {
    const role = this.#role;
    if (role !== ROLES[0] && !/^(messages|input)\[/.test(where)) return;
    const body = (bytes: number): Buffer => {
      this.#role = role;
      return Buffer.from(json(bytes));
    };
    const small = body(1_000).toString();
    if (!this.#bodies.has(small)) this.#bodies.set(small, body);
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
    if (schema.enum) return JSON.stringify(schema.enum.includes(this.#role) ? this.#role : schema.enum[0]);
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
        return `"${'x'.repeat(Math.min(size, schema.maxLength ?? Infinity))}"`;
    }
  }

  #branches({ $ref, ...schema }: Schema): Schema[] {
    if ($ref !== undefined) return this.#branches(this.schemas[$ref.split('/').at(-1)!]!);
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
