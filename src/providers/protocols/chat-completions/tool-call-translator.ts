import { randomBytes } from 'node:crypto';
import type { ToolCallDelta } from '../../../wire/chat-completion.js';
import { isObject, type JsonObject } from '../../../wire/json-object.js';
import { ProviderError } from '../../provider-error.js';
import { isText } from '../is-text.js';

/** Tool calls of one choice at most. */
const MAX_CALLS = 1_024;

interface Call {
  readonly index: number;
  readonly upstreamId: string | undefined;
  named: boolean;
  hasArguments: boolean;
}

/**
 * Translates the tool calls of one choice: index, id and name come once and never change, whatever the vendor leaves
 * out, repeats or uses again, and arguments are always text.
 */
export class ToolCallTranslator {
  readonly #calls: Call[] = [];
  readonly #byUpstreamIndex = new Map<number, Call>();

  get any(): boolean {
    return this.#calls.length > 0;
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

  /** @returns an empty object as the arguments of each call that had none */
  finish(): ToolCallDelta[] {
    return this.#calls.filter((call) => !call.hasArguments).map(({ index }) => ({ index, function: { arguments: '{}' } }));
  }

  #read(entry: JsonObject, whole: boolean): ToolCallDelta | undefined {
    const about: JsonObject = isObject(entry['function']) ? entry['function'] : entry;
    const id = isText(entry['id']) ? entry['id'] : undefined;
    const name = isText(about['name']) ? about['name'] : undefined;
    const known = this.#find(entry['index'], id, name);
    const call = known ?? this.#add(entry['index'], id);
    const text = argumentsText(about['arguments']);
    const value = whole && text === '' ? '{}' : text;
    if (value !== '') call.hasArguments = true;
    const delta: ToolCallDelta = { index: call.index };
    if (!known) {
      delta.id = id ?? `call_${randomBytes(12).toString('hex')}`;
      delta.type = 'function';
    }
    if (name && !call.named) {
      call.named = true;
      delta.function = { name, arguments: value };
    } else if (!known || value !== '') delta.function = { arguments: value };
    const extra = entry['extra_content'];
    if (extra != null) delta.extra_content = extra;
    return delta.function || extra != null ? delta : undefined;
  }

  #find(index: unknown, id: string | undefined, name: string | undefined): Call | undefined {
    const sameId = id && this.#calls.find((call) => call.upstreamId === id);
    if (sameId) return sameId;
    if (Number.isInteger(index)) {
      const call = this.#byUpstreamIndex.get(index as number);
      // Gemini's compatible address gives the index 0 to all parallel calls; only their ids tell them apart.
      return call && id && name && call.upstreamId ? undefined : call;
    }
    return id || name ? undefined : this.#calls.at(-1);
  }

  #add(index: unknown, id: string | undefined): Call {
    if (this.#calls.length >= MAX_CALLS) throw new ProviderError('limit_exceeded', `The answer has more than ${MAX_CALLS} tool calls.`);
    const call: Call = { index: this.#calls.length, upstreamId: id, named: false, hasArguments: false };
    this.#calls.push(call);
    if (Number.isInteger(index)) this.#byUpstreamIndex.set(index as number, call);
    return call;
  }
}

function argumentsText(value: unknown): string {
  if (typeof value === 'string') return value;
  return value == null ? '' : JSON.stringify(value);
}
