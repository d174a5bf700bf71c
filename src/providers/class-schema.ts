import { plainToInstance } from 'class-transformer';
import { getMetadataStorage, type ValidationError, validateSync } from '../common/class-validator.js';
import type { OptionsIssue, OptionsSchema } from '../config/options-schema.js';

type Rule = ReturnType<ReturnType<typeof getMetadataStorage>['getTargetValidationMetadatas']>[number];

/**
 * A Standard Schema of a class with decorators of class-validator. Names that the class does not have are refused.
 * @returns undefined where the class has no such decorator
 */
export function schemaOfClass(options: new () => object): OptionsSchema | undefined {
  if (rulesOf(options).length === 0) return undefined;
  return {
    '~standard': {
      version: 1,
      vendor: 'class-validator',
      validate: (value) => {
        const instance = plainToInstance(options, value, { exposeDefaultValues: true });
        const errors = validateSync(instance, { whitelist: true, forbidNonWhitelisted: true });
        return errors.length === 0 ? { value: instance } : { issues: errors.flatMap((error) => issuesOf(error, [])) };
      },
      jsonSchema: { input: () => jsonSchema(options) },
    },
  };
}

function rulesOf(options: new () => object): Rule[] {
  return getMetadataStorage().getTargetValidationMetadatas(options, '', false, false);
}

function issuesOf({ property, constraints = {}, children = [] }: ValidationError, above: readonly string[]): OptionsIssue[] {
  const path = [...above, property];
  const { whitelistValidation, ...others } = constraints;
  const own =
    whitelistValidation === undefined ? Object.values(others).map((message) => ({ message, path })) : [{ message: 'is unknown', path }];
  return [...own, ...children.flatMap((child) => issuesOf(child, path))];
}

/** What the decorators say of a property, in words of JSON schema. */
const words: Readonly<Record<string, (...given: unknown[]) => Record<string, unknown>>> = {
  isString: () => ({ type: 'string' }),
  isUrl: () => ({ type: 'string', format: 'uri' }),
  isNumber: () => ({ type: 'number' }),
  isInt: () => ({ type: 'integer' }),
  isBoolean: () => ({ type: 'boolean' }),
  isArray: () => ({ type: 'array' }),
  isObject: () => ({ type: 'object' }),
  isIn: (values) => ({ enum: values }),
  isEnum: (values) => ({ enum: Object.values(values as object) }),
  min: (minimum) => ({ minimum }),
  max: (maximum) => ({ maximum }),
  minLength: (minLength) => ({ minLength }),
  maxLength: (maxLength) => ({ maxLength }),
};

function jsonSchema(options: new () => object): Record<string, unknown> {
  const properties: Record<string, Record<string, unknown>> = {};
  const optional = new Set<string>();
  const defaults = new options() as Record<string, unknown>;
  for (const { propertyName, type, name, constraints } of rulesOf(options)) {
    const said = words[name ?? type]?.(...((constraints ?? []) as unknown[]));
    properties[propertyName] = { ...properties[propertyName], ...said };
    if (type === 'conditionalValidation' || defaults[propertyName] !== undefined) optional.add(propertyName);
  }
  for (const [name, value] of Object.entries(defaults)) if (value !== undefined && properties[name]) properties[name]['default'] = value;
  const required = Object.keys(properties).filter((name) => !optional.has(name));
  return { type: 'object', properties, ...(required.length > 0 && { required }), additionalProperties: false };
}
