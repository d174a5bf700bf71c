import type * as z from 'zod';

export type Path = readonly string[];

/** What the configuration's schema says of one place in it, without its defaults and its optionality. */
export type Shape =
  | { readonly kind: 'section'; readonly fields: Readonly<Record<string, Shape>> }
  /** Names chosen by the operator. */
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
    // A number or a word for one, as against a price, whose text is exact.
    case 'union':
      return { kind: def.options.every(({ _zod }) => ['number', 'literal'].includes(_zod.def.type)) ? 'number' : 'text' };
    default:
      return { kind: 'text' };
  }
}

export function shapeAt(shape: Shape | undefined, path: Path): Shape | undefined {
  return path.reduce<Shape | undefined>((at, name) => {
    if (at?.kind === 'named') return at.each;
    return at?.kind === 'section' ? at.fields[name] : undefined;
  }, shape);
}

/** Text from the environment as the value that its place wants. What does not fit stays text, for the validation to refuse. */
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
