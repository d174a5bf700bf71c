import { isObject } from '../wire/json-object.js';

/** The wire format's own bound is 128; some vendors accept more. */
const MAX_TOOLS = 1_024;
const MAX_TOOL_NAME = 256;
const MAX_SCHEMA_NAME = 64;

/**
 * @returns what is wrong with the tools of a request, beginning with the path of the wrong field; undefined where
 * nothing is
 */
export function toolsProblem(tools: unknown): string | undefined {
  if (!Array.isArray(tools)) return 'tools must be an array';
  if (tools.length > MAX_TOOLS) return `tools must have at most ${MAX_TOOLS} elements`;
  for (let index = 0; index < tools.length; index++) {
    const problem = toolProblem(tools[index]);
    if (problem) return `tools[${index}]${problem}`;
  }
  return undefined;
}

function toolProblem(tool: unknown): string | undefined {
  if (!isObject(tool)) return ' must be an object';
  if (tool.type !== 'function') return ".type must be 'function'";
  if (!isObject(tool.function)) return '.function must be an object';
  const { name, description, parameters, strict } = tool.function;
  if (!isName(name, MAX_TOOL_NAME)) return `.function.name must be a non-empty string of at most ${MAX_TOOL_NAME} characters`;
  if (isPresent(description) && typeof description !== 'string') return '.function.description must be a string';
  if (isPresent(parameters) && !isObject(parameters)) return '.function.parameters must be an object';
  return isPresent(strict) && typeof strict !== 'boolean' ? '.function.strict must be a boolean' : undefined;
}

/** @param tools of the request; where toolsProblem refuses them, its own message is sent */
export function toolChoiceProblem(choice: unknown, tools: unknown): string | undefined {
  const names = Array.isArray(tools)
    ? tools.map((tool: unknown) => (isObject(tool) && isObject(tool.function) ? tool.function.name : undefined))
    : [];
  if (choice === 'none' || choice === 'auto') return undefined;
  if (choice === 'required') return names.length > 0 ? undefined : 'tool_choice is only allowed where tools are given';
  if (!isObject(choice) || choice.type !== 'function') return "tool_choice must be 'none', 'auto', 'required' or name a function";
  if (!isObject(choice.function) || !isName(choice.function.name, MAX_TOOL_NAME))
    return 'tool_choice.function.name must be a non-empty string';
  return names.includes(choice.function.name) ? undefined : 'tool_choice.function.name must be the name of one of the tools';
}

export function responseFormatProblem(format: unknown): string | undefined {
  if (!isObject(format)) return 'response_format must be an object';
  if (format.type === 'text' || format.type === 'json_object') return undefined;
  if (format.type !== 'json_schema') return 'response_format.type must be one of text, json_object, json_schema';
  if (!isObject(format.json_schema)) return 'response_format.json_schema must be an object';
  const { name, description, schema, strict } = format.json_schema;
  if (!isName(name, MAX_SCHEMA_NAME)) {
    return `response_format.json_schema.name must be a non-empty string of at most ${MAX_SCHEMA_NAME} characters`;
  }
  if (isPresent(description) && typeof description !== 'string') return 'response_format.json_schema.description must be a string';
  if (isPresent(schema) && !isObject(schema)) return 'response_format.json_schema.schema must be an object';
  return isPresent(strict) && typeof strict !== 'boolean' ? 'response_format.json_schema.strict must be a boolean' : undefined;
}

function isPresent(value: unknown): boolean {
  return value !== undefined && value !== null;
}

function isName(value: unknown, maxLength: number): value is string {
  return typeof value === 'string' && value !== '' && value.length <= maxLength;
}
