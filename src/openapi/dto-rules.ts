import type { Type } from '@nestjs/common';
import { getMetadataStorage, IS_OPTIONAL, ValidationTypes } from '../common/validation/class-validator.js';
import type { ValidationMetadata } from 'class-validator/types/metadata/ValidationMetadata.js';
import type { JsonSchema } from './json-schema.js';
import { ownOf } from '../wire/own-members.js';

type Values = readonly unknown[];

/** The rules of class-validator as keywords of JSON Schema, with the values that the decorator was given. */
const keywords: Readonly<Record<string, (values: Values) => JsonSchema>> = {
  isString: () => ({ type: 'string' }),
  isBoolean: () => ({ type: 'boolean' }),
  isInt: () => ({ type: 'integer' }),
  isNumber: () => ({ type: 'number' }),
  isObject: () => ({ type: 'object' }),
  isArray: () => ({ type: 'array' }),
  isNotEmpty: () => ({ minLength: 1 }),
  min: ([minimum]) => ({ minimum }),
  max: ([maximum]) => ({ maximum }),
  isPositive: () => ({ exclusiveMinimum: 0 }),
  minLength: ([minLength]) => ({ minLength }),
  maxLength: ([maxLength]) => ({ maxLength }),
  isLength: ([minLength, maxLength]) => ({ minLength, ...(maxLength !== undefined && { maxLength }) }),
  matches: ([pattern]) => ({ pattern: (pattern as RegExp).source }),
  isIn: ([words]) => ({ enum: [...(words as Values)] }),
  isEnum: ([, words]) => ({ enum: [...(words as Values)] }),
  isUuid: () => ({ format: 'uuid' }),
  isUrl: () => ({ format: 'uri' }),
  isEmail: () => ({ format: 'email' }),
  isIso8601: () => ({ format: 'date-time' }),
  isRfc3339: () => ({ format: 'date-time' }),
  arrayMinSize: ([minItems]) => ({ minItems }),
  arrayMaxSize: ([maxItems]) => ({ maxItems }),
  arrayUnique: () => ({ uniqueItems: true }),
};

interface FieldSchema {
  readonly schema: JsonSchema;
  /** The field may be absent. */
  readonly optional: boolean;
}

/** The rules of all classes that class-validator knows, by the names of the classes. */
export class DtoRules {
  readonly #classes = new Map<string, Type>();

  constructor() {
    // It has no other way to ask which classes there are.
    const { validationMetadatas } = getMetadataStorage() as unknown as { validationMetadatas: ReadonlyMap<Type, unknown> };
    for (const dto of validationMetadatas.keys()) this.#classes.set(dto.name, dto);
  }

  /**
   * What the decorators say of each field of a class. A rule of our own says it in its options, as `context: {schema}`,
   * and a condition that lets the field be absent `context: {optional: true}`.
   */
  of(name: string): Map<string, FieldSchema> | undefined {
    const dto = this.#classes.get(name);
    if (!dto) return undefined;
    const storage = getMetadataStorage();
    const rules = storage.groupByPropertyName(storage.getTargetValidationMetadatas(dto, '', false, false));
    const defaults = new dto() as Record<string, unknown>;
    return new Map(Object.entries(rules).map(([field, all]) => [field, fieldSchema(all, defaults[field])]));
  }
}

function fieldSchema(rules: readonly ValidationMetadata[], value: unknown): FieldSchema {
  const schema: JsonSchema = {};
  for (const { name = '', constraints, each, context } of rules) {
    const told = (context as { schema?: JsonSchema } | undefined)?.schema ?? ownOf(keywords, name)?.((constraints ?? []) as Values) ?? {};
    if (each) schema.items = { ...schema.items, ...told };
    else Object.assign(schema, told);
  }
  if (value !== undefined) schema.default = value;
  const mayBeAbsent =
    value !== undefined ||
    rules.some(
      ({ type, name, context }) =>
        type === ValidationTypes.CONDITIONAL_VALIDATION && (name === IS_OPTIONAL || (context as { optional?: true } | undefined)?.optional),
    );
  return { schema, optional: mayBeAbsent };
}

/** The schema of a field: what its type says, made narrower by its rules. */
export function narrowed(type: JsonSchema, { items, type: ruled, ...rest }: JsonSchema): JsonSchema {
  const nullable = [type.type].flat().includes('null') || type.anyOf?.some((one) => one.type === 'null') === true;
  const own = { ...type, ...rest };
  if (ruled !== undefined) own.type = nullable ? [ruled, 'null'].flat() : ruled;
  if (rest.anyOf && nullable) own.anyOf = [...rest.anyOf, { type: 'null' }];
  if (rest.enum) {
    delete own.const;
    if (rest.enum.some((word) => typeof word !== 'string')) delete own.type;
    else if (nullable) own.enum = [...rest.enum, null];
  }
  if (items) own.items = type.items?.$ref === undefined ? { ...type.items, ...items } : type.items;
  return own;
}
