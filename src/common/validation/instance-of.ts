import { plainToInstance, TransformationType } from 'class-transformer';
import { defaultMetadataStorage as transformations } from 'class-transformer/cjs/storage.js';
import { didYouMean } from '../../config/nearest.js';
import { getMetadataStorage, type ValidationError, validateSync } from './class-validator.js';

type Class<T extends object = object> = new () => T;

/** What is wrong with a value, told as class-validator tells it. */
export type Problem = Pick<ValidationError, 'property' | 'constraints'> & { readonly children?: readonly Problem[] };

/** The name of the constraint that a member breaks which no class declares. */
export const UNDECLARED = 'undeclared';

/**
 * Makes an instance of a class from a value that comes from outside, nested ones too, and validates it by the
 * decorators. What the classes do not declare is refused. class-transformer gets no more than the members that its
 * decorators are about, and class-validator no name that it does not know: the one leaves out members with names that
 * all objects have, and the other takes a member `constructor` for the class.
 */
export function instanceOf<T extends object>(type: Class<T>, value: object): { instance: T; problems: readonly Problem[] } {
  const instance = made(type, value);
  return { instance, problems: [...undeclared(type, value), ...validateSync(instance, { stopAtFirstError: true })] };
}

function undeclared(type: Class, value: object): Problem[] {
  const declared = declaredBy(type);
  return Object.entries(value).flatMap(([name, member]: [string, unknown]): Problem[] => {
    const property = propertyOf(type, name);
    if (!declared.has(property)) {
      const known = Array.from(declared, (one) => transformations.findExposeMetadata(type, one)?.options.name ?? one);
      return [{ property: name, constraints: { [UNDECLARED]: `property ${name} should not exist${didYouMean(name, known)}` } }];
    }
    const nested = nestedIn(type, property);
    const children = nested ? undeclaredBelow(nested, member) : [];
    return children.length > 0 ? [{ property: name, children }] : [];
  });
}

function undeclaredBelow(type: Class, value: unknown): Problem[] {
  if (typeof value !== 'object' || value === null) return [];
  if (!Array.isArray(value)) return undeclared(type, value);
  return value.flatMap((one, index) => {
    const children = undeclaredBelow(type, one);
    return children.length > 0 ? [{ property: String(index), children }] : [];
  });
}

function made<T extends object>(type: Class<T>, value: object): T {
  const own: Record<string, unknown> = {};
  const transformed: Record<string, unknown> = {};
  const declared = declaredBy(type);
  for (const [name, member] of Object.entries(value)) {
    if (!declared.has(propertyOf(type, name))) continue;
    const nested = nestedIn(type, name);
    if (nested) own[name] = madeBelow(nested, member);
    else if (typeof member === 'object' && !isTransformed(type, name)) own[name] = member;
    else transformed[name] = member;
  }
  return Object.assign(plainToInstance(type, transformed, { exposeDefaultValues: true }), own);
}

function madeBelow(type: Class, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((one) => madeBelow(type, one));
  return typeof value === 'object' && value !== null ? made(type, value) : value;
}

/** The class of a member whose rules are those of a class, where nothing but `@Type` says how it is made. */
function nestedIn(type: Class, property: string): Class | undefined {
  const metadata = transformations.findTypeMetadata(type, property);
  if (!metadata || metadata.options.discriminator || isExposedOrTransformed(type, property)) return undefined;
  const nested = metadata.typeFunction() as Class;
  return declaredBy(nested).size > 0 ? nested : undefined;
}

function isTransformed(type: Class, name: string): boolean {
  return transformations.findTypeMetadata(type, name) !== undefined || isExposedOrTransformed(type, name);
}

function isExposedOrTransformed(type: Class, name: string): boolean {
  return (
    transformations.findExposeMetadataByCustomName(type, name) !== undefined ||
    transformations.findTransformMetadatas(type, name, TransformationType.PLAIN_TO_CLASS).length > 0
  );
}

/** The property that a member becomes. */
function propertyOf(type: Class, name: string): string {
  return transformations.findExposeMetadataByCustomName(type, name)?.propertyName ?? name;
}

function declaredBy(type: Class): ReadonlySet<string> {
  return new Set(
    getMetadataStorage()
      .getTargetValidationMetadatas(type, '', false, false)
      .map(({ propertyName }) => propertyName),
  );
}
