import { hasText, mayHaveText, textBytes, valueAt } from '../wire/members.js';
import { isObject } from '../wire/json-object.js';
import { listProblem } from '../wire/list-problem.js';

/** The wire format's own bound is 128; some vendors accept more. */
const MAX_TOOLS = 1_024;
const MAX_TOOL_NAME = 256;
const MAX_SCHEMA_NAME = 64;

/** UTF-8 bytes of the descriptions and grammars of all custom tools together. */
const MAX_CUSTOM = 1024 * 1024;

export const toolsSchema = { maxItems: MAX_TOOLS };

/**
 * @returns what is wrong with the tools of a request, beginning with the path of the wrong field; undefined where
 * nothing is
 */
export function toolsProblem(tools: unknown): string | undefined {
  if (!Array.isArray(tools)) return 'tools must be an array';
  return listProblem(tools, 'tools', MAX_TOOLS, toolProblem) ?? sameNameProblem(tools) ?? longCustomProblem(tools);
}

function toolProblem(tool: unknown): string | undefined {
  if (!isObject(tool)) return ' must be an object';
  const type = valueAt(tool, 'type');
  if (type !== 'function' && type !== 'custom') return ".type must be 'function' or 'custom'";
  const declared = valueAt(tool, type);
  const problem = type === 'function' ? functionProblem(declared) : customProblem(declared);
  return problem && `.${type}${problem}`;
}

function functionProblem(declared: unknown): string | undefined {
  if (!isObject(declared)) return ' must be an object';
  const parameters = valueAt(declared, 'parameters');
  const strict = valueAt(declared, 'strict');
  if (isPresent(parameters) && !isObject(parameters)) return '.parameters must be an object';
  return namedProblem(declared) ?? (isPresent(strict) && typeof strict !== 'boolean' ? '.strict must be a boolean' : undefined);
}

function customProblem(declared: unknown): string | undefined {
  if (!isObject(declared)) return ' must be an object';
  const problem = namedProblem(declared);
  const format = valueAt(declared, 'format');
  if (problem || !isPresent(format)) return problem;
  if (!isObject(format)) return '.format must be an object';
  const type = valueAt(format, 'type');
  if (type === 'text') return undefined;
  if (type !== 'grammar') return '.format.type must be one of text, grammar';
  const grammar = valueAt(format, 'grammar');
  if (!isObject(grammar)) return '.format.grammar must be an object';
  const syntax = valueAt(grammar, 'syntax');
  if (syntax !== 'lark' && syntax !== 'regex') return '.format.grammar.syntax must be one of lark, regex';
  return hasText(grammar, 'definition') ? undefined : '.format.grammar.definition must be a string';
}

function namedProblem(declared: Record<string, unknown>): string | undefined {
  if (!isName(valueAt(declared, 'name'), MAX_TOOL_NAME)) return `.name must be a non-empty string of at most ${MAX_TOOL_NAME} characters`;
  return mayHaveText(declared, 'description') ? undefined : '.description must be a string';
}

/** A call names its tool alone, so that a custom tool cannot be told from a function of the same name. */
function sameNameProblem(tools: readonly unknown[]): string | undefined {
  const custom = tools.flatMap((tool, index) => (isObject(tool) && tool['type'] === 'custom' ? [[index, nameOf(tool)] as const] : []));
  if (custom.length === 0) return undefined;
  const names = namesOf(tools);
  const taken = custom.find(([index, name]) => names.indexOf(name) !== index || names.lastIndexOf(name) !== index);
  return taken && `tools[${taken[0]}].custom.name must be the name of no other tool`;
}

/** Descriptions and grammars of custom tools are told in words, which are made into text at once. */
function longCustomProblem(tools: readonly unknown[]): string | undefined {
  let bytes = 0;
  for (const tool of tools) {
    if (!isObject(tool) || !isObject(tool['custom'])) continue;
    const { format } = tool['custom'];
    const grammar = isObject(format) ? format['grammar'] : undefined;
    bytes += textBytes(tool['custom'], 'description') + (isObject(grammar) ? textBytes(grammar, 'definition') : 0);
  }
  return bytes > MAX_CUSTOM ? `tools: custom tools must have at most ${MAX_CUSTOM} bytes of descriptions and grammars together` : undefined;
}

/** @param tools of the request; where toolsProblem refuses them, its own message is sent */
export function toolChoiceProblem(choice: unknown, tools: unknown): string | undefined {
  const names = namesOf(tools);
  if (choice === 'none' || choice === 'auto') return undefined;
  if (choice === 'required' || choice === 'any') return names.length > 0 ? undefined : 'tool_choice is only allowed where tools are given';
  const type = isObject(choice) ? valueAt(choice, 'type') : undefined;
  if (isObject(choice) && type === 'allowed_tools') return allowedToolsProblem(choice['allowed_tools'], names);
  if (!isObject(choice) || (type !== 'function' && type !== 'custom'))
    return "tool_choice must be 'none', 'auto', 'required', name a tool or say which tools are allowed";
  const name = nameOf(choice);
  if (!isName(name, MAX_TOOL_NAME)) return `tool_choice.${type}.name must be a non-empty string`;
  return names.includes(name) ? undefined : `tool_choice.${type}.name must be the name of one of the tools`;
}

function allowedToolsProblem(allowed: unknown, names: readonly unknown[]): string | undefined {
  if (!isObject(allowed)) return 'tool_choice.allowed_tools must be an object';
  const mode = valueAt(allowed, 'mode');
  if (mode !== 'auto' && mode !== 'required') return 'tool_choice.allowed_tools.mode must be one of auto, required';
  const tools = valueAt(allowed, 'tools');
  if (!Array.isArray(tools) || tools.length === 0) return 'tool_choice.allowed_tools.tools must be a non-empty array';
  return listProblem(tools, 'tool_choice.allowed_tools.tools', MAX_TOOLS, (tool) =>
    isObject(tool) && isName(nameOf(tool), MAX_TOOL_NAME) && names.includes(nameOf(tool)) ? undefined : ' must name one of the tools',
  );
}

/** The functions of the format before tools. @param tools of the request, beside which there may be none */
export function functionsProblem(functions: unknown, tools: unknown): string | undefined {
  if (!Array.isArray(functions)) return 'functions must be an array';
  if (functions.length > 0 && isPresent(tools)) return 'functions is only allowed where tools are not given';
  return listProblem(functions, 'functions', MAX_TOOLS, functionProblem);
}

/** @param functions of the request; where functionsProblem refuses them, its own message is sent */
export function functionCallProblem(choice: unknown, functions: unknown): string | undefined {
  if (choice === 'none' || choice === 'auto') return undefined;
  const name = isObject(choice) ? valueAt(choice, 'name') : undefined;
  if (!isName(name, MAX_TOOL_NAME)) return "function_call must be 'none', 'auto' or name a function";
  const names = Array.isArray(functions) ? functions.map((one: unknown) => (isObject(one) ? valueAt(one, 'name') : undefined)) : [];
  return names.includes(name) ? undefined : 'function_call.name must be the name of one of the functions';
}

function namesOf(tools: unknown): unknown[] {
  return Array.isArray(tools) ? tools.map((tool: unknown) => (isObject(tool) ? nameOf(tool) : undefined)) : [];
}

/** The name in a tool, or in what names one. */
function nameOf(tool: Record<string, unknown>): unknown {
  const declared = valueAt(tool, valueAt(tool, 'type') === 'custom' ? 'custom' : 'function');
  return isObject(declared) ? valueAt(declared, 'name') : undefined;
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
