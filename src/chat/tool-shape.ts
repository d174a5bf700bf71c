import { mayHaveText, valueAt } from '../json/long-text.js';
import { isObject } from '../wire/json-object.js';
import { listProblem } from '../wire/list-problem.js';

/** The wire format's own bound is 128; some vendors accept more. */
const MAX_TOOLS = 1_024;
const MAX_TOOL_NAME = 256;
const MAX_SCHEMA_NAME = 64;

export const toolsSchema = { maxItems: MAX_TOOLS };

/**
 * @returns what is wrong with the tools of a request, beginning with the path of the wrong field; undefined where
 * nothing is
 */
export function toolsProblem(tools: unknown): string | undefined {
  if (!Array.isArray(tools)) return 'tools must be an array';
  return listProblem(tools, 'tools', MAX_TOOLS, toolProblem);
}

function toolProblem(tool: unknown): string | undefined {
  if (!isObject(tool)) return ' must be an object';
  if (valueAt(tool, 'type') !== 'function') return ".type must be 'function'";
  const declared = valueAt(tool, 'function');
  if (!isObject(declared)) return '.function must be an object';
  const parameters = valueAt(declared, 'parameters');
  const strict = valueAt(declared, 'strict');
  if (!isName(valueAt(declared, 'name'), MAX_TOOL_NAME))
    return `.function.name must be a non-empty string of at most ${MAX_TOOL_NAME} characters`;
  if (!mayHaveText(declared, 'description')) return '.function.description must be a string';
  if (isPresent(parameters) && !isObject(parameters)) return '.function.parameters must be an object';
  return isPresent(strict) && typeof strict !== 'boolean' ? '.function.strict must be a boolean' : undefined;
}

/** @param tools of the request; where toolsProblem refuses them, its own message is sent */
export function toolChoiceProblem(choice: unknown, tools: unknown): string | undefined {
  const names = Array.isArray(tools)
    ? tools.map((tool: unknown) => (isObject(tool) && isObject(tool.function) ? valueAt(tool.function, 'name') : undefined))
    : [];
  if (choice === 'none' || choice === 'auto') return undefined;
  if (choice === 'required') return names.length > 0 ? undefined : 'tool_choice is only allowed where tools are given';
  if (!isObject(choice) || valueAt(choice, 'type') !== 'function')
    return "tool_choice must be 'none', 'auto', 'required' or name a function";
  const chosen = valueAt(choice, 'function');
  const name = isObject(chosen) ? valueAt(chosen, 'name') : undefined;
  if (!isName(name, MAX_TOOL_NAME)) return 'tool_choice.function.name must be a non-empty string';
  return names.includes(name) ? undefined : 'tool_choice.function.name must be the name of one of the tools';
}

export function responseFormatProblem(format: unknown): string | undefined {
  if (!isObject(format)) return 'response_format must be an object';
  const type = valueAt(format, 'type');
  if (type === 'text' || type === 'json_object') return undefined;
  if (type !== 'json_schema') return 'response_format.type must be one of text, json_object, json_schema';
  const named = valueAt(format, 'json_schema');
  if (!isObject(named)) return 'response_format.json_schema must be an object';
  const schema = valueAt(named, 'schema');
  const strict = valueAt(named, 'strict');
  if (!isName(valueAt(named, 'name'), MAX_SCHEMA_NAME)) {
    return `response_format.json_schema.name must be a non-empty string of at most ${MAX_SCHEMA_NAME} characters`;
  }
  if (!mayHaveText(named, 'description')) return 'response_format.json_schema.description must be a string';
  if (isPresent(schema) && !isObject(schema)) return 'response_format.json_schema.schema must be an object';
  return isPresent(strict) && typeof strict !== 'boolean' ? 'response_format.json_schema.strict must be a boolean' : undefined;
}

function isPresent(value: unknown): boolean {
  return value !== undefined && value !== null;
}

function isName(value: unknown, maxLength: number): value is string {
  return typeof value === 'string' && value !== '' && value.length <= maxLength;
}
