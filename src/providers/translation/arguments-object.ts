import { isObject, type JsonObject } from '../../wire/json-object.js';
import { parsedJson, requireParsable } from './parsed-json.js';

/**
 * The arguments of a tool call as the object that most vendors want.
 * @returns undefined where the text is no JSON object, or has more levels, objects or members than we parse: what
 * writes it again recurses
 */
export function argumentsObject(text: string): JsonObject | undefined {
  if (text.trim() === '') return {};
  try {
    requireParsable(text);
  } catch {
    return undefined;
  }
  const value = parsedJson(text);
  return isObject(value) ? value : undefined;
}
