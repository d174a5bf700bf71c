import type { Usage } from '../../../wire/usage.js';
import { isObject, type JsonObject } from '../../../wire/json-object.js';

/**
 * Counts the calls that an answer shows: vendors list them, or what they have found, and leave them out of the usage.
 */
export class ShownCalls {
  /** By choice and place in the list, because a stream tells a call in several pieces. */
  #executed: Map<string, unknown> | undefined;
  #cites = false;

  /**
   * @param said a message, or a delta of one
   * @returns whether it shows a call that was not known
   */
  see(choice: number, { annotations, executed_tools: executed }: JsonObject): boolean {
    const [cited, known] = [this.#cites, this.#executed?.size ?? 0];
    if (Array.isArray(annotations) && annotations.some((one) => isObject(one) && one['type'] === 'url_citation')) this.#cites = true;
    if (Array.isArray(executed))
      for (const [place, call] of executed.entries())
        if (isObject(call)) (this.#executed ??= new Map()).set(`${choice} ${Number(call['index'] ?? place)}`, call['type'] ?? call['name']);
    return this.#cites !== cited || (this.#executed?.size ?? 0) > known;
  }

  /** The usage with the calls that the vendor has not counted in it. */
  in<Counts extends Partial<Usage>>(usage: Counts): Counts {
    if (!this.#cites && !this.#executed) return usage;
    const { server_tool_use: told } = usage;
    const types = [...(this.#executed?.values() ?? [])];
    const searches = types.filter((type) => typeof type === 'string' && type.includes('search')).length;
    const others = types.length - searches;
    const found = Math.max(searches, this.#cites ? 1 : 0);
    return {
      ...usage,
      server_tool_use: { ...(found > 0 && { web_search_requests: found }), ...(others > 0 && { hosted_calls: others }), ...told },
    };
  }
}
