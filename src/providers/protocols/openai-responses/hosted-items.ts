import { isObject, type JsonObject } from '../../../wire/json-object.js';
import type { Usage } from '../../../wire/usage.js';
import { withoutAccountIds } from '../../contract/extra-parameters.js';
import type { ResponseItem } from './wire.js';

type Counts = Pick<NonNullable<Usage['server_tool_use']>, 'web_search_requests' | 'hosted_calls'>;

/** Items of hosted tools, by what their calls are counted as. */
const items: ReadonlyMap<unknown, keyof Counts | undefined> = new Map([
  ['web_search_call', 'web_search_requests'],
  ['file_search_call', 'hosted_calls'],
  ['code_interpreter_call', 'hosted_calls'],
  ['image_generation_call', 'hosted_calls'],
  ['mcp_call', 'hosted_calls'],
  ['mcp_list_tools', undefined],
  ['mcp_approval_request', undefined],
  ['local_shell_call', undefined],
  ['apply_patch_call', undefined],
  ['computer_call', undefined],
  ['tool_search_call', undefined],
  ['tool_search_output', undefined],
]);

export function isHosted(item: ResponseItem): item is JsonObject & { type: string } {
  return items.has(item.type);
}

/** An item without ids of the vendor's: its own, and those that point into the account there. */
export function withoutIds(item: JsonObject & { type: string }): JsonObject & { type: string } {
  const { id: _id, tools, ...rest } = item;
  // Declarations of tools have the client's own names.
  return { ...(withoutAccountIds(rest) as JsonObject & { type: string }), ...(tools !== undefined && { tools }) };
}

/** Counts the calls of hosted tools: the vendor lists them, and leaves them out of its usage. */
export class HostedCount {
  readonly all: { web_search_requests: number; hosted_calls: number } = { web_search_requests: 0, hosted_calls: 0 };
  #told = -1;

  /** What has been counted, also if that is nothing; undefined where it has been told. */
  get news(): Counts | undefined {
    const { web_search_requests: searches, hosted_calls: others } = this.all;
    if (searches + others === this.#told) return undefined;
    this.#told = searches + others;
    return { ...this.all };
  }

  /** Opening a page that a search has found, and finding text in it, are no searches (platform.openai.com, Pricing). */
  see({ type, action }: JsonObject): void {
    const count = items.get(type);
    if (!count || (type === 'web_search_call' && isObject(action) && action['type'] !== 'search')) return;
    this.all[count]++;
  }
}
