import { hasText, hasTextUpTo, mayHaveText, textBytes, valueAt } from '../wire/members.js';
import { isObject } from '../wire/json-object.js';
import { listProblem } from '../wire/list-problem.js';
import { TOOL_SEARCH } from './foreign-items.js';

/** Bounds of ours, those of the tools of a chat. */
const MAX_TOOLS = 1_024;
const MAX_NAME = 256;
const MAX_SCHEMA_NAME = 64;

/** Bytes of what is told in words of all custom tools together: it is made into text at once. */
const MAX_CUSTOM = 1024 * 1024;

export const toolsSchema = { maxItems: MAX_TOOLS };

/**
 * Checks the tools of a request. Hosted tools are let through: they are refused by their names.
 * @returns what is wrong, beginning with the path of the wrong field; undefined where nothing is
 */
export function toolsProblem(tools: unknown): string | undefined {
  if (!Array.isArray(tools)) return 'tools must be an array';
  return listProblem(tools, 'tools', MAX_TOOLS, toolProblem) ?? customProblem(tools as readonly Record<string, unknown>[], 'tools');
}

/** @param where the tools are, to begin the message with */
export function customProblem(all: readonly object[], where: string): string | undefined {
  const tools = all as readonly Record<string, unknown>[];
  let bytes = 0;
  for (const tool of tools.flatMap((one) => (one['type'] === 'namespace' ? (one['tools'] as typeof tools) : [one]))) {
    if (tool['type'] !== 'custom') continue;
    const format = tool['format'];
    bytes += textBytes(tool, 'description') + (isObject(format) ? textBytes(format, 'definition') : 0);
  }
  return bytes > MAX_CUSTOM
    ? `${where}: custom tools must have at most ${MAX_CUSTOM} bytes of descriptions and grammars together`
    : undefined;
}

function toolProblem(tool: unknown): string | undefined {
  if (!isObject(tool)) return ' must be an object';
  const type = valueAt(tool, 'type');
  if (typeof type !== 'string' || type === '') return '.type must be a non-empty string';
  if (type === 'namespace') return namespaceProblem(tool);
  if (type === TOOL_SEARCH) return mayHaveText(tool, 'description') ? functionProblem(tool) : '.description must be a string';
  return type === 'function' || type === 'custom' ? callableProblem(tool, type) : undefined;
}

function namespaceProblem(space: object): string | undefined {
  if (!isName(valueAt(space, 'name'), MAX_NAME)) return `.name must be a non-empty string of at most ${MAX_NAME} characters`;
  if (!mayHaveText(space, 'description')) return '.description must be a string';
  const tools = valueAt(space, 'tools');
  if (!Array.isArray(tools)) return '.tools must be an array';
  return listProblem(tools, '.tools', MAX_TOOLS, (tool) => {
    const type = isObject(tool) ? valueAt(tool, 'type') : undefined;
    return type === 'function' || type === 'custom'
      ? callableProblem(tool as Record<string, unknown>, type)
      : '.type must be one of function, custom';
  });
}

function callableProblem(tool: Record<string, unknown>, type: 'function' | 'custom'): string | undefined {
  if (!isName(valueAt(tool, 'name'), MAX_NAME)) return `.name must be a non-empty string of at most ${MAX_NAME} characters`;
  if (!mayHaveText(tool, 'description')) return '.description must be a string';
  return type === 'custom' ? grammarProblem(valueAt(tool, 'format')) : functionProblem(tool);
}

function functionProblem(tool: object): string | undefined {
  const parameters = valueAt(tool, 'parameters') ?? undefined;
  const strict = valueAt(tool, 'strict') ?? undefined;
  if (parameters !== undefined && !isObject(parameters)) return '.parameters must be an object';
  return strict !== undefined && typeof strict !== 'boolean' ? '.strict must be a boolean' : undefined;
}

function grammarProblem(format: unknown): string | undefined {
  if (format === undefined || format === null) return undefined;
  if (!isObject(format)) return '.format must be an object';
  const [type, syntax] = [valueAt(format, 'type'), valueAt(format, 'syntax')];
  if (type === 'text') return undefined;
  if (type !== 'grammar') return '.format.type must be one of text, grammar';
  if (!hasText(format, 'definition')) return '.format.definition must be a string';
  return syntax === 'lark' || syntax === 'regex' ? undefined : '.format.syntax must be one of lark, regex';
}

const modes: ReadonlySet<unknown> = new Set(['none', 'auto', 'required']);

/** @param tools of the request; where toolsProblem refuses them, its own message is sent */
export function toolChoiceProblem(choice: unknown, tools: unknown): string | undefined {
  const names = namesOf(tools);
  if (choice === 'required' && names.size === 0) return 'tool_choice is only allowed where tools are given';
  if (modes.has(choice)) return undefined;
  if (!isObject(choice) || !hasTextUpTo(choice, 'type', MAX_NAME)) return "tool_choice must be 'none', 'auto', 'required' or an object";
  if (choice['type'] === 'allowed_tools') return allowedProblem(choice, names);
  // Hosted tools are refused by their names.
  if (choice['type'] !== 'function' && choice['type'] !== 'custom') return undefined;
  return hasTextUpTo(choice, 'name', MAX_NAME) && names.has(choice['name'])
    ? undefined
    : 'tool_choice.name must be the name of one of the tools';
}

/** The names of tools and of namespaces, and of the tools in these. */
function namesOf(tools: unknown): ReadonlySet<unknown> {
  const list = Array.isArray(tools) ? (tools as unknown[]).filter((tool) => isObject(tool)) : [];
  const inner = list.flatMap((tool) => (Array.isArray(tool['tools']) ? (tool['tools'] as unknown[]).filter((one) => isObject(one)) : []));
  return new Set([...list, ...inner].map((tool) => valueAt(tool, 'name')));
}

function allowedProblem({ mode, tools }: Record<string, unknown>, names: ReadonlySet<unknown>): string | undefined {
  if (mode !== 'auto' && mode !== 'required') return 'tool_choice.mode must be one of auto, required';
  if (!Array.isArray(tools) || tools.length === 0) return 'tool_choice.tools must be a non-empty array';
  return listProblem(tools, 'tool_choice.tools', MAX_TOOLS, (tool) =>
    isObject(tool) && hasTextUpTo(tool, 'name', MAX_NAME) && names.has(tool['name'])
      ? undefined
      : '.name must be the name of one of the tools',
  );
}

const verbosities: ReadonlySet<unknown> = new Set(['low', 'medium', 'high', undefined]);
const summaries: ReadonlySet<unknown> = new Set(['auto', 'concise', 'detailed', undefined]);

export function textProblem(text: unknown): string | undefined {
  if (!isObject(text)) return 'text must be an object';
  if (!verbosities.has(valueAt(text, 'verbosity') ?? undefined)) return 'text.verbosity must be one of low, medium, high';
  const format = valueAt(text, 'format') ?? undefined;
  return format === undefined ? undefined : formatProblem(format);
}

function formatProblem(format: unknown): string | undefined {
  if (!isObject(format)) return 'text.format must be an object';
  const type = valueAt(format, 'type');
  if (type === 'text' || type === 'json_object') return undefined;
  if (type !== 'json_schema') return 'text.format.type must be one of text, json_object, json_schema';
  const schema = valueAt(format, 'schema') ?? undefined;
  const strict = valueAt(format, 'strict') ?? undefined;
  if (!isName(valueAt(format, 'name'), MAX_SCHEMA_NAME)) {
    return `text.format.name must be a non-empty string of at most ${MAX_SCHEMA_NAME} characters`;
  }
  if (!mayHaveText(format, 'description')) return 'text.format.description must be a string';
  if (schema !== undefined && !isObject(schema)) return 'text.format.schema must be an object';
  return strict !== undefined && typeof strict !== 'boolean' ? 'text.format.strict must be a boolean' : undefined;
}

export function reasoningProblem(reasoning: unknown): string | undefined {
  if (!isObject(reasoning)) return 'reasoning must be an object';
  const effort = valueAt(reasoning, 'effort') ?? undefined;
  if (effort !== undefined && !isName(effort, 64)) return 'reasoning.effort must be a non-empty string of at most 64 characters';
  for (const name of ['summary', 'generate_summary']) {
    if (!summaries.has(valueAt(reasoning, name) ?? undefined)) return `reasoning.${name} must be one of auto, concise, detailed`;
  }
  return undefined;
}

/** What can be asked for beside the answer; hosted tools are behind those that have no effect here. */
const included: readonly unknown[] = [
  'reasoning.encrypted_content',
  'message.output_text.logprobs',
  'message.input_image.image_url',
  'file_search_call.results',
  'web_search_call.results',
  'web_search_call.action.sources',
  'computer_call_output.output.image_url',
  'code_interpreter_call.outputs',
];

export const includeSchema = { maxItems: 64, items: { enum: included } };

export function includeProblem(include: unknown): string | undefined {
  if (!Array.isArray(include)) return 'include must be an array';
  return listProblem(include, 'include', 64, (name) => (included.includes(name) ? undefined : ` must be one of ${included.join(', ')}`));
}

/** OpenAI's own bounds. */
const MAX_ENTRIES = 16;
const MAX_KEY = 64;
const MAX_VALUE = 512;

export const metadataSchema = {
  maxProperties: MAX_ENTRIES,
  propertyNames: { maxLength: MAX_KEY },
  additionalProperties: { type: 'string', maxLength: MAX_VALUE },
};

export function metadataProblem(metadata: unknown): string | undefined {
  if (!isObject(metadata)) return 'metadata must be an object';
  const names = Object.keys(metadata);
  const fits = names.every((name) => name.length <= MAX_KEY && hasTextUpTo(metadata, name, MAX_VALUE));
  if (names.length <= MAX_ENTRIES && fits) return undefined;
  return `metadata must have at most ${MAX_ENTRIES} strings of at most ${MAX_VALUE} characters, with names of at most ${MAX_KEY}`;
}

function isName(value: unknown, maxLength: number): value is string {
  return typeof value === 'string' && value !== '' && value.length <= maxLength;
}
