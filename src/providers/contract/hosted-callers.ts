import type { HostedTool } from '../../wire/hosted-tool.js';
import { isObject } from '../../wire/json-object.js';
import type { HostedCall } from './model-provider.js';

/** Parameters that make a vendor do more than generate, by what that is counted as. */
const callers: ReadonlyMap<string, HostedCall> = new Map([
  ['web_search', 'search'],
  ['web_search_options', 'search'],
  ['search_parameters', 'search'],
  ['search_settings', 'search'],
  ['plugins', 'search'],
  ['compound_custom', 'hosted_call'],
  ['mcp_servers', 'hosted_call'],
  ['container', 'hosted_call'],
]);

export const hostedCallers: readonly string[] = [...callers.keys()];

/** What a call of a hosted tool is counted as: `fetch` costs its tokens alone, and so do those that the client runs. */
export type ToolCall = HostedCall | 'fetch' | 'nothing';

/** Hosted tools of OpenAI's Responses and of Anthropic's Messages. */
const hostedTools: readonly (readonly [RegExp, ToolCall])[] = [
  [/^web_search(_preview)?$/, 'search'],
  [/^(file_search|code_interpreter|image_generation|mcp|code_execution)$/, 'hosted_call'],
  [/^(local_shell|apply_patch|computer|computer_use_preview)$/, 'nothing'],
  [/^web_fetch$/, 'fetch'],
  [/^(tool_search(_tool_bm25|_tool_regex)?|bash|text_editor|memory|(computer|browser)_toolset)$/, 'nothing'],
];

/** The name of a hosted tool without the date of its version. */
export function undatedTool(type: string): string {
  return type.replace(/_\d{4}(_?\d{2}){2}$/, '');
}

/** What a call of a hosted tool is counted as; undefined for a tool that nobody knows. */
export function callOfTool(type: string): ToolCall | undefined {
  const name = undatedTool(type);
  return hostedTools.find(([names]) => names.test(name))?.[1];
}

/** Whether a vendor searches with the tool for those of the client's, which others are told of at once. */
export function isToolSearch({ type }: HostedTool): boolean {
  return type.startsWith('tool_search');
}

/** Whether calls of the tool have a price of their own. */
export function isPriced(call: ToolCall | undefined): call is HostedCall {
  return call === 'search' || call === 'hosted_call';
}

/** Calls of hosted tools of one request at most, because they are held: if the client does not say, and if it does. */
const USUAL_CALLS = 20;
const MOST_CALLS = 128;

export function mostCalls(asked: number | null | undefined): number {
  return Math.min(asked ?? USUAL_CALLS, MOST_CALLS);
}

/** What a parameter makes the vendor do; undefined where it is nothing that is counted by calls. */
export function hostedCallOf(parameter: string): HostedCall | undefined {
  return callers.get(parameter);
}

/** Whether a parameter with this value makes the vendor do it. */
export function asksForCall(parameter: string, value: unknown): boolean {
  if (value == null || value === false) return false;
  if (Array.isArray(value)) return value.length > 0;
  // Only xAI knows this mode: elsewhere the word has no effect.
  return !(parameter === 'search_parameters' && isObject(value) && value['mode'] === 'off');
}

/** Whether the request does without the search that its vendor, Perplexity, would make of itself. */
export function declinesSearch(extra: Readonly<Record<string, unknown>>): boolean {
  return extra['disable_search'] === true;
}
