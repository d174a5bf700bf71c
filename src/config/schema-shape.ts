import type * as z from 'zod';
import { ownOf } from '../wire/own-members.js';

export type Path = readonly string[];

/** What the schema of the configuration says of one place in it, apart from defaults and optionality. */
export type Shape =
  | { readonly kind: 'section'; readonly fields: Readonly<Record<string, Shape>> }
  /** A section whose names the operator chooses. */
  | { readonly kind: 'named'; readonly each: Shape }
  | { readonly kind: 'list' | 'number' | 'boolean' | 'text' };

export function shapeOf(schema: z.core.$ZodType): Shape {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  switch (def.type) {
    case 'default':
    case 'prefault':
    case 'optional':
      return shapeOf(def.innerType);
    case 'object':
      return { kind: 'section', fields: Object.fromEntries(Object.entries(def.shape).map(([name, field]) => [name, shapeOf(field)])) };
    case 'record':
      return { kind: 'named', each: shapeOf(def.valueType) };
    case 'array':
      return { kind: 'list' };
    case 'number':
    case 'boolean':
      return { kind: def.type };
    // A number or a word in its place. A price is another union, whose text must stay exact.
    case 'union':
      return { kind: def.options.every(({ _zod }) => ['number', 'literal'].includes(_zod.def.type)) ? 'number' : 'text' };
    default:
      return { kind: 'text' };
  }
}

export function shapeAt(shape: Shape | undefined, path: Path): Shape | undefined {
  return path.reduce<Shape | undefined>((at, name) => {
    if (at?.kind === 'named') return at.each;
    return at?.kind === 'section' ? ownOf(at.fields, name) : undefined;
  }, shape);
}

/**
 * Converts text from the environment to the kind of value that its place wants. Text that does not fit stays text, for
 * the validation to refuse.
 */
export function coerce(text: string, shape: Shape | undefined): unknown {
  switch (shape?.kind) {
    case 'number':
      return /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text;
    case 'boolean':
      return text === 'true' || (text === 'false' ? false : text);
    case 'section':
    case 'named':
    case 'list':
      return parseJson(text);
    default:
      return text;
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
