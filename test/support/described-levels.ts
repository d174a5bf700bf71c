import type { OpenAPIObject } from '@nestjs/swagger';

type Schema = Readonly<Record<string, unknown>>;
type Path = readonly (string | number)[];

/** A JSON value, and where in it there is an object. */
export interface Level {
  readonly value: unknown;
  readonly path: Path;
}

/** Schemas within schemas that are followed: a schema may contain itself. */
const MAX_DEPTH = 8;

/** Every level of what a schema describes: each is the smallest value that has it. */
export class DescribedLevels {
  constructor(private readonly document: OpenAPIObject) {}

  of(schema: Schema, depth = 0): Level[] {
    if (depth > MAX_DEPTH) return [];
    const known = this.#resolved(schema);
    const within = (part: unknown) => this.of(part as Schema, depth + 1);
    const choices = known['anyOf'] ?? known['oneOf'];
    if (Array.isArray(choices)) return choices.flatMap(within);
    if (this.#is(known, 'array')) return within(known['items'] ?? {}).map(({ value, path }) => ({ value: [value], path: [0, ...path] }));
    if (!this.#is(known, 'object')) return [];
    const least = this.#least(known) as object;
    const members = Object.entries((known['properties'] ?? {}) as Readonly<Record<string, unknown>>);
    const below = members.flatMap(([name, member]) =>
      within(member).map(({ value, path }) => ({ value: { ...least, [name]: value }, path: [name, ...path] })),
    );
    return [{ value: least, path: [] }, ...below];
  }

  #resolved(schema: Schema): Schema {
    const { $ref } = schema;
    if (typeof $ref !== 'string') return schema;
    return this.document.components!.schemas![$ref.split('/').at(-1)!] as unknown as Schema;
  }

  #is({ type }: Schema, wanted: string): boolean {
    return [type].flat().includes(wanted);
  }

  #least(schema: Schema): unknown {
    const known = this.#resolved(schema);
    if ('const' in known) return known['const'];
    const choices = (known['anyOf'] ?? known['oneOf']) as readonly Schema[] | undefined;
    if (choices) return this.#least(choices[0]!);
    if (Array.isArray(known['enum'])) return known['enum'][0];
    if (this.#is(known, 'object')) {
      const members = (known['properties'] ?? {}) as Readonly<Record<string, Schema>>;
      const required = (known['required'] ?? []) as readonly string[];
      return Object.fromEntries(required.map((name) => [name, this.#least(members[name]!)]));
    }
    if (this.#is(known, 'array')) return known['minItems'] && known['items'] ? [this.#least(known['items'] as Schema)] : [];
    if (this.#is(known, 'boolean')) return false;
    if (this.#is(known, 'integer') || this.#is(known, 'number')) return known['minimum'] ?? 1;
    return 'x'.repeat(Number(known['minLength'] ?? 1));
  }
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
