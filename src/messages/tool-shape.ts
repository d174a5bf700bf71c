import { hasSomeText, hasTextUpTo, mayHaveText, valueAt } from '../wire/members.js';
import { callOfTool } from '../providers/contract/hosted-callers.js';
import { isObject } from '../wire/json-object.js';
import { listProblem } from '../wire/list-problem.js';
import { cacheControlProblem } from './turn-shape.js';

const MAX_TOOLS = 1_024;
const MAX_TOOL_NAME = 256;
const MAX_BUDGET = 2 ** 31 - 1;

export const toolsSchema = { maxItems: MAX_TOOLS };

/** Each function returns what is wrong, beginning with the path of the wrong field; undefined where nothing is. */
export function toolsProblem(tools: unknown): string | undefined {
  if (!Array.isArray(tools)) return 'tools must be an array';
  return listProblem(tools, 'tools', MAX_TOOLS, toolProblem);
}

function toolProblem(tool: unknown): string | undefined {
  if (!isObject(tool)) return ' must be an object';
  const type = valueAt(tool, 'type');
  if (type !== undefined && type !== null && typeof type !== 'string') return '.type must be a string';
  if (hasSomeText(tool, 'type') && type !== 'custom') return hostedProblem(tool, String(type));
  const name = valueAt(tool, 'name');
  if (typeof name !== 'string' || name === '' || name.length > MAX_TOOL_NAME)
    return `.name must be a non-empty string of at most ${MAX_TOOL_NAME} characters`;
  if (!mayHaveText(tool, 'description')) return '.description must be a string';
  if (!isObject(valueAt(tool, 'input_schema'))) return '.input_schema must be an object';
  if (!isFlag(valueAt(tool, 'strict'))) return '.strict must be a boolean';
  if (!isFlag(valueAt(tool, 'eager_input_streaming'))) return '.eager_input_streaming must be a boolean';
  if (!isFlag(valueAt(tool, 'defer_loading'))) return '.defer_loading must be a boolean';
  const mark = cacheControlProblem(valueAt(tool, 'cache_control'));
  return mark && `.${mark}`;
}

/** A tool that the vendor runs or has declared: which providers have it is known later. */
function hostedProblem(tool: object, type: string): string | undefined {
  if (callOfTool(type) === undefined)
    return `.type: tools of the type '${type.slice(0, 100)}' are not supported; declare a tool of your own with its input_schema`;
  const uses = valueAt(tool, 'max_uses') ?? 1;
  if (!Number.isInteger(uses) || (uses as number) < 1) return '.max_uses must be an integer of at least 1';
  const mark = cacheControlProblem(valueAt(tool, 'cache_control'));
  return mark && `.${mark}`;
}

/** @param tools of the request; where toolsProblem refuses them, its own message is sent */
export function toolChoiceProblem(choice: unknown, tools: unknown): string | undefined {
  if (!isObject(choice)) return 'tool_choice must be an object';
  if (!isFlag(valueAt(choice, 'disable_parallel_tool_use'))) return 'tool_choice.disable_parallel_tool_use must be a boolean';
  const given = Array.isArray(tools) ? (tools as unknown[]) : [];
  switch (valueAt(choice, 'type')) {
    case 'auto':
    case 'none':
      return undefined;
    case 'any':
      return given.length > 0 ? undefined : 'tool_choice is only allowed where tools are given';
    case 'tool': {
      const name = valueAt(choice, 'name');
      return given.some((tool) => isObject(tool) && valueAt(tool, 'name') === name)
        ? undefined
        : 'tool_choice.name must be the name of one of the tools';
    }
    default:
      return "tool_choice.type must be 'auto', 'any', 'tool' or 'none'";
  }
}

export function thinkingProblem(thinking: unknown, maxTokens: unknown): string | undefined {
  if (!isObject(thinking)) return 'thinking must be an object';
  const display = valueAt(thinking, 'display');
  if (display !== undefined && display !== null && display !== 'summarized' && display !== 'omitted')
    return "thinking.display must be 'summarized' or 'omitted'";
  switch (valueAt(thinking, 'type')) {
    case 'adaptive':
    case 'disabled':
    case 'between_tools':
      return undefined;
    case 'enabled': {
      const budget = valueAt(thinking, 'budget_tokens');
      if (!Number.isInteger(budget) || (budget as number) < 1 || (budget as number) > MAX_BUDGET)
        return 'thinking.budget_tokens must be an integer of at least 1';
      return typeof maxTokens === 'number' && (budget as number) >= maxTokens
        ? 'thinking.budget_tokens must be less than max_tokens'
        : undefined;
    }
    default:
      return "thinking.type must be 'enabled', 'adaptive', 'disabled' or 'between_tools'";
  }
}

const efforts: ReadonlySet<unknown> = new Set([undefined, null, 'low', 'medium', 'high', 'xhigh', 'max']);

export function outputConfigProblem(config: unknown): string | undefined {
  if (!isObject(config)) return 'output_config must be an object';
  if (!efforts.has(valueAt(config, 'effort'))) return 'output_config.effort must be one of low, medium, high, xhigh, max';
  return formatProblem(valueAt(config, 'format'), 'output_config.format');
}

export function formatProblem(format: unknown, path: string): string | undefined {
  if (format === undefined || format === null) return undefined;
  if (!isObject(format) || valueAt(format, 'type') !== 'json_schema') return `${path}.type must be 'json_schema'`;
  return isObject(valueAt(format, 'schema')) ? undefined : `${path}.schema must be an object`;
}

export function metadataProblem(metadata: unknown): string | undefined {
  if (!isObject(metadata)) return 'metadata must be an object';
  const user = valueAt(metadata, 'user_id');
  if (user === undefined || user === null) return undefined;
  return hasTextUpTo(metadata, 'user_id', 512) ? undefined : 'metadata.user_id must be a string of at most 512 characters';
}

function isFlag(value: unknown): boolean {
  return value === undefined || value === null || typeof value === 'boolean';
}
