import { hasSomeText, hasText, hasTextUpTo, mayHaveText, valueAt } from '../wire/members.js';
import { isObject } from '../wire/json-object.js';
import { listProblem } from '../wire/list-problem.js';
import { foreignItem, isOfModel, loadedTools, partTypes, typeOf } from './foreign-items.js';
import { customProblem, toolsProblem } from './tool-shape.js';

/** Bounds of ours, those of the messages of a chat. */
export const MAX_ITEMS = 10_000;
const MAX_PARTS = 2_000;
const MAX_LOADED = 10_000;
const MAX_NAME = 256;
const MAX_ID = 256;
const MAX_DETAIL = 64;

export const inputSchema = {
  anyOf: [{ type: 'string' }, { type: 'array', items: { $ref: '#/components/schemas/InputItem' }, minItems: 1, maxItems: MAX_ITEMS }],
};

const roles = ['user', 'assistant', 'system', 'developer'];

/**
 * Checks the shapes of the items of a request, not their order. Items of hosted tools, and of types that nobody knows, are
 * let through; so are parts of unknown types, but for those behind what the model has said last, to which the answer is.
 * @returns what is wrong, beginning with the path of the wrong field; undefined where nothing is
 */
export function inputProblem(input: unknown): string | undefined {
  if (typeof input === 'string') return undefined;
  if (!Array.isArray(input) || input.length === 0) return 'input must be a string or a non-empty array of items';
  const said = input.findLastIndex(isOfModel);
  const problem = listProblem(input, 'input', MAX_ITEMS, (item, index) => itemProblem(item, index > said || index === input.length - 1));
  if (problem) return problem;
  const loaded = loadedTools(input);
  const count = loaded.reduce((sum, tool) => sum + (tool.type === 'namespace' ? tool.tools.length : 1), 0);
  return count > MAX_LOADED ? `input: items must have at most ${MAX_LOADED} tools together` : customProblem(loaded, 'input');
}

function itemProblem(item: unknown, isLast: boolean): string | undefined {
  if (!isObject(item)) return ' must be an object';
  const type = typeOf(item);
  switch (type) {
    case 'message':
      return messageProblem(item, isLast);
    case 'function_call':
      return callProblem(item, 'arguments');
    case 'custom_tool_call':
      return callProblem(item, 'input');
    case 'function_call_output':
    case 'custom_tool_call_output':
      return hasSomeText(item, 'call_id') ? contentProblem(item, 'output', isLast) : '.call_id must be a non-empty string';
    case 'reasoning':
      return reasoningProblem(item);
    case 'item_reference':
      return hasSomeText(item, 'id') && hasTextUpTo(item, 'id', MAX_ID)
        ? undefined
        : `.id must be a non-empty string of at most ${MAX_ID} characters`;
    default:
      if (foreignItem(type)?.loads) return loadedProblem(item);
      return hasSomeText(item, 'type') ? undefined : '.type must be a non-empty string';
  }
}

function loadedProblem(item: object): string | undefined {
  const problem = toolsProblem(valueAt(item, 'tools'));
  return problem && `.${problem}`;
}

function messageProblem(item: object, isLast: boolean): string | undefined {
  const role = valueAt(item, 'role');
  if (typeof role !== 'string' || !roles.includes(role)) return `.role must be one of ${roles.join(', ')}`;
  return contentProblem(item, 'content', isLast);
}

function callProblem(item: object, input: 'arguments' | 'input'): string | undefined {
  if (!hasSomeText(item, 'call_id')) return '.call_id must be a non-empty string';
  if (!hasSomeText(item, 'name') || !hasTextUpTo(item, 'name', MAX_NAME))
    return `.name must be a non-empty string of at most ${MAX_NAME} characters`;
  if (!mayHaveTextUpTo(item, 'namespace', MAX_NAME)) return `.namespace must be a string of at most ${MAX_NAME} characters`;
  return hasText(item, input) ? undefined : `.${input} must be a string`;
}

function mayHaveTextUpTo(holder: object, name: string, length: number): boolean {
  return (valueAt(holder, name) ?? undefined) === undefined || hasTextUpTo(holder, name, length);
}

function contentProblem(item: object, name: 'content' | 'output', isLast: boolean): string | undefined {
  if (hasText(item, name)) return undefined;
  const content = valueAt(item, name);
  if (!Array.isArray(content)) return `.${name} must be a string or an array of parts`;
  return listProblem(content, `.${name}`, MAX_PARTS, (part) => partProblem(part, isLast));
}

function partProblem(part: unknown, isLast: boolean): string | undefined {
  if (!isObject(part)) return ' must be an object';
  const type = valueAt(part, 'type');
  switch (type) {
    case 'input_text':
    case 'output_text':
      return hasText(part, 'text') ? undefined : '.text must be a string';
    case 'refusal':
      return hasText(part, 'refusal') ? undefined : '.refusal must be a string';
    case 'input_image':
      if (!hasSomeText(part, 'image_url')) return '.image_url must be an address or a data URL';
      return mayHaveTextUpTo(part, 'detail', MAX_DETAIL) ? undefined : `.detail must be a string of at most ${MAX_DETAIL} characters`;
    case 'input_file':
      return fileProblem(part);
    case 'input_audio':
      return isObject(valueAt(part, 'input_audio')) ? undefined : '.input_audio must be an object';
    default:
      if (isLast) return `.type must be one of ${[...partTypes].join(', ')}`;
      return hasSomeText(part, 'type') ? undefined : '.type must be a non-empty string';
  }
}

const fileMembers = ['file_data', 'file_url', 'file_id', 'filename'] as const;

function fileProblem(part: object): string | undefined {
  for (const name of fileMembers) if (!mayHaveText(part, name)) return `.${name} must be a string`;
  return fileMembers.slice(0, 3).some((name) => hasSomeText(part, name)) ? undefined : '.file_data must be a data URL';
}

function reasoningProblem(item: object): string | undefined {
  if (!mayHaveText(item, 'encrypted_content')) return '.encrypted_content must be a string';
  for (const name of ['summary', 'content']) {
    const parts = valueAt(item, name) ?? [];
    if (!Array.isArray(parts)) return `.${name} must be an array of parts`;
    const problem = listProblem(parts, `.${name}`, MAX_PARTS, thoughtProblem);
    if (problem) return problem;
  }
  return undefined;
}

function thoughtProblem(part: unknown): string | undefined {
  if (!isObject(part)) return ' must be an object';
  const type = valueAt(part, 'type');
  if (type !== 'summary_text' && type !== 'reasoning_text') return '.type must be one of summary_text, reasoning_text';
  return hasText(part, 'text') ? undefined : '.text must be a string';
}
