import type { ToolCallDelta } from '../../../wire/chat-completion.js';
import { isObject, type JsonObject } from '../../../wire/json-object.js';
import { requireWithin } from '../../translation/answer-limits.js';
import { ProviderError } from '../../contract/provider-error.js';
import { callId } from '../call-id.js';
import { isText } from '../is-text.js';

interface Call {
  upstreamId: string | undefined;
  /** Set with its name. */
  index?: number;
  name?: string;
  /** What has come before its name. */
  held: string;
  extra?: unknown;
  hasArguments: boolean;
}

/**
 * Translates the tool calls of one choice: index, id and name come once and never change, whatever the vendor leaves
 * out, repeats or uses again, and arguments are always text. What names nothing is no call.
 */
export class ToolCallTranslator {
  readonly #calls: Call[] = [];
  readonly #byUpstreamIndex = new Map<number, Call>();
  #begun = 0;
  #nameless = 0;

  get any(): boolean {
    return this.#begun > 0;
  }

  /**
   * Reads the `tool_calls` of one delta of the vendor.
   * @throws ProviderError limit_exceeded
   */
  read(entries: readonly unknown[], whole: boolean): ToolCallDelta[] {
    const deltas: ToolCallDelta[] = [];
    for (const entry of entries) {
      if (!isObject(entry)) continue;
      const delta = this.#read(entry, whole);
      if (delta) deltas.push(delta);
    }
    return deltas;
  }

  /**
   * @returns an empty object as the arguments of each call that had none
   * @throws ProviderError bad_response for arguments of a call that has no name
   */
  finish(): ToolCallDelta[] {
    if (this.#calls.some(({ index, held }) => index === undefined && !/^\s*(\{\s*\}|null)?\s*$/.test(held)))
      throw new ProviderError('bad_response', 'The answer has a tool call without a name.');
    return this.#calls.flatMap(({ index, hasArguments }) =>
      index === undefined || hasArguments ? [] : [{ index, function: { arguments: '{}' } }],
    );
  }

  #read(entry: JsonObject, whole: boolean): ToolCallDelta | undefined {
    const about: JsonObject = isObject(entry['function']) ? entry['function'] : entry;
    const id = isText(entry['id']) ? entry['id'] : undefined;
    const name = isText(about['name']) ? about['name'] : undefined;
    const text = argumentsText(about['arguments']);
    const extra = entry['extra_content'] ?? undefined;
    const call = (whole ? undefined : this.#find(entry['index'], id, name)) ?? this.#add(entry['index']);
    call.upstreamId ??= id;
    // Groq says null where there are none.
    const given = text === 'null' && !call.hasArguments ? '' : text;
    const value = whole && given === '' ? '{}' : given;
    if (value !== '') call.hasArguments = true;
    if (call.index !== undefined) {
      if (value === '' && extra === undefined) return undefined;
      return {
        index: call.index,
        ...(value !== '' && { function: { arguments: value } }),
        ...(extra !== undefined && { extra_content: extra }),
      };
    }
    call.held += value;
    call.extra = extra ?? call.extra;
    if (name === undefined) {
      requireWithin((this.#nameless += value.length), 'characters of arguments before a name');
      return undefined;
    }
    call.name = name;
    const isTaken = this.#calls.some((other) => other.index !== undefined && other.upstreamId === call.upstreamId);
    call.index = this.#begun++;
    return {
      index: call.index,
      id: callId(isTaken ? undefined : call.upstreamId),
      type: 'function',
      function: { name, arguments: call.held },
      ...(call.extra !== undefined && { extra_content: call.extra }),
    };
  }

  #find(index: unknown, id: string | undefined, name: string | undefined): Call | undefined {
    const call = this.#byUpstreamIndex.get(index as number);
    if (id && call?.upstreamId === id) return call;
    const sameId = id && this.#calls.find(({ upstreamId }) => upstreamId === id);
    // Some servers give all parallel calls one id; only their indexes tell them apart.
    if (sameId) return Number.isInteger(index) && !call && name !== undefined ? undefined : sameId;
    if (Number.isInteger(index)) {
      // Gemini's compatible address gives the index 0 to all parallel calls; only their ids or names tell them apart.
      const isOther = name !== undefined && call?.name !== undefined && (id ? call.upstreamId !== undefined : name !== call.name);
      return isOther ? undefined : call;
    }
    return id || name ? undefined : this.#calls.at(-1);
  }

  #add(index: unknown): Call {
    const call: Call = { upstreamId: undefined, held: '', hasArguments: false };
    requireWithin(this.#calls.push(call), 'tool calls');
    if (Number.isInteger(index)) this.#byUpstreamIndex.set(index as number, call);
    return call;
  }
}

function argumentsText(value: unknown): string {
  if (typeof value === 'string') return value;
  return value == null ? '' : JSON.stringify(value);
}
