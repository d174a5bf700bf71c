import { getMetadataStorage } from '../../common/validation/class-validator.js';
import { instanceOf, type Problem, UNDECLARED } from '../../common/validation/instance-of.js';
import type { OptionsIssue, OptionsSchema } from '../../config/options-schema.js';
import { ownOf } from '../../wire/own-members.js';

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
        const { instance, problems } = instanceOf(options, value ?? {});
        return problems.length === 0 ? { value: instance } : { issues: problems.flatMap((problem) => issuesOf(problem, [])) };
      },
      jsonSchema: { input: () => jsonSchema(options) },
    },
  };
}

function rulesOf(options: new () => object): Rule[] {
  return getMetadataStorage().getTargetValidationMetadatas(options, '', false, false);
}

function issuesOf({ property, constraints = {}, children = [] }: Problem, above: readonly string[]): OptionsIssue[] {
  const path = [...above, property];
  const own = Object.entries(constraints).map(([name, message]) => ({
    message: name === UNDECLARED ? message.replace(/^.* should not exist/s, 'is unknown') : message,
    path,
  }));
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
    const said = ownOf(words, name ?? type)?.(...((constraints ?? []) as unknown[]));
    properties[propertyName] = { ...properties[propertyName], ...said };
    if (type === 'conditionalValidation' || defaults[propertyName] !== undefined) optional.add(propertyName);
  }
  for (const [name, value] of Object.entries(defaults)) if (value !== undefined && properties[name]) properties[name]['default'] = value;
  const required = Object.keys(properties).filter((name) => !optional.has(name));
  return { type: 'object', properties, ...(required.length > 0 && { required }), additionalProperties: false };
}
