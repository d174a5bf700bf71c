import type { Tool } from '../../../wire/chat-completion.js';
import { isObject } from '../../../wire/json-object.js';

/** The words of a name in `snake_case`, `camelCase` or `kebab-case`, in lower case. */
export function namePartsOf(name: string): string[] {
  return (
    name
      .replaceAll(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? []
  );
}

/** The schemas of what a function takes, by name. */
export function propertiesOf(tool: Tool): Readonly<Record<string, unknown>> {
  const properties = tool.function.parameters?.['properties'];
  return isObject(properties) ? properties : {};
}

export function isRequired(tool: Tool, name: string): boolean {
  const required = tool.function.parameters?.['required'];
  return Array.isArray(required) && required.includes(name);
}

/** Whether a schema allows values of a type, in the plain ways of saying so. */
export function allows(schema: unknown, type: string): boolean {
  if (!isObject(schema)) return true;
  const variants = schema['anyOf'] ?? schema['oneOf'];
  if (Array.isArray(variants)) return variants.some((variant) => allows(variant, type));
  const types = schema['type'];
  return types === undefined || (Array.isArray(types) ? types.includes(type) : types === type);
}

/** Whether a schema says of itself that null is among its values. */
export function isNullable(schema: unknown): boolean {
  return allows(schema, 'null') && !allows(schema, '');
}
