import { isObject } from '../wire/json-object.js';
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

/** Hosted tools of OpenAI's Responses; those that the client runs cost nothing beside their tokens. */
const hostedTools: readonly (readonly [RegExp, HostedCall | 'nothing'])[] = [
  [/^web_search(_preview)?$/, 'search'],
  [/^(file_search|code_interpreter|image_generation|mcp)$/, 'hosted_call'],
  [/^(local_shell|apply_patch|computer|computer_use_preview)$/, 'nothing'],
];

/** The name of a hosted tool without the date of its version. */
export function undatedTool(type: string): string {
  return type.replace(/_\d{4}_\d{2}_\d{2}$/, '');
}

/** What a call of a hosted tool is counted as; undefined for a tool that nobody knows. */
export function callOfTool(type: string): HostedCall | 'nothing' | undefined {
  const name = undatedTool(type);
  return hostedTools.find(([names]) => names.test(name))?.[1];
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
