import type { Delta } from '../../../wire/chat-completion.js';
import { isObject, type JsonObject } from '../../../wire/json-object.js';
import type { ReasoningBlock } from '../../../wire/reasoning-block.js';
import { isText } from '../is-text.js';
import { ToolCallTranslator } from './tool-call-translator.js';

/** Translates the deltas (or the one message) of one chat choice to the wire format. */
export class DeltaTranslator {
  #toolCalls: ToolCallTranslator | undefined;
  #begun = false;
  #hasContent = false;
  #blocks = 0;

  get callsTools(): boolean {
    return this.#toolCalls?.any ?? false;
  }

  /**
   * @param whole whether the vendor's object is a message and not a delta
   * @returns undefined where the object says nothing
   */
  read(vendor: JsonObject, whole: boolean): Delta | undefined {
    const delta: Delta = {};
    if (!this.#begun) delta.role = 'assistant';
    for (const name in vendor) {
      const value = vendor[name];
      switch (name) {
        case 'role':
        case '__proto__':
          break;
        case 'content':
          this.#content(delta, value);
          break;
        case 'reasoning':
        case 'reasoning_content':
          if (isText(value)) delta.reasoning_content ??= value;
          break;
        case 'tool_calls':
          if (Array.isArray(value)) this.#calls(delta, value, whole);
          break;
        case 'thinking_blocks':
          if (Array.isArray(value)) this.#signed(delta, value);
          break;
        case 'refusal':
          if (isText(value)) delta.refusal = value;
          break;
        // The gateway's own word, which no vendor has.
        case 'hosted_items':
          break;
        case 'function_call':
          // Servers that have both say the same call twice.
          if (isObject(value) && !vendor['tool_calls']) this.#calls(delta, [{ index: 0, function: value }], whole);
          break;
        default:
          if (tells(value)) delta[name] = value;
      }
    }
    if (whole && delta.content === undefined) delta.content = null;
    if (Object.keys(delta).length === 0) return undefined;
    this.#begun = true;
    return delta;
  }

  /** @returns what is still to be said before the end of the choice */
  finish(): Delta | undefined {
    const calls = this.#toolCalls?.finish();
    if (calls?.length) return { tool_calls: calls };
    return this.#begun ? undefined : this.read({}, false);
  }

  /** Empty text is passed on once, where there is no other: clients then see '' and not null. */
  #content(delta: Delta, value: unknown): void {
    const text = Array.isArray(value) ? parts(delta, value) : value;
    if (typeof text === 'string' && (text !== '' || !this.#hasContent)) {
      this.#hasContent = true;
      delta.content = text;
    } else if (text === null && !this.#begun) delta.content = null;
  }

  /** Blocks of a gateway that has Anthropic behind it: those that are proved, and not the pieces of their text. */
  #signed(delta: Delta, blocks: readonly unknown[]): void {
    const signed = blocks.flatMap((block): Omit<ReasoningBlock, 'index'>[] => {
      if (!isObject(block)) return [];
      const { type, thinking, signature, data } = block;
      if (type === 'thinking' && isText(signature)) return [{ type, thinking: isText(thinking) ? thinking : '', signature }];
      return type === 'redacted_thinking' && isText(data) ? [{ type, data }] : [];
    });
    if (signed.length > 0) delta.thinking_blocks = signed.map((block) => ({ index: this.#blocks++, ...block }));
  }

  #calls(delta: Delta, entries: readonly unknown[], whole: boolean): void {
    const calls = (this.#toolCalls ??= new ToolCallTranslator()).read(entries, whole);
    if (calls.length > 0) delta.tool_calls = [...(delta.tool_calls ?? []), ...calls];
  }
}

/**
 * Reads content that is an array of parts. Mistral puts its reasoning there: `{type: 'thinking', thinking: [{type:
 * 'text', text}]}`.
 */
function parts(delta: Delta, content: readonly unknown[]): string | undefined {
  let text: string | undefined;
  for (const part of content) {
    if (typeof part === 'string') text = (text ?? '') + part;
    else if (isObject(part)) {
      if (part['type'] === 'thinking') delta.reasoning_content = (delta.reasoning_content ?? '') + textOf(part['thinking']);
      else if (typeof part['text'] === 'string') text = (text ?? '') + part['text'];
    }
  }
  return text;
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  if (!Array.isArray(value)) return '';
  return value.map((part: unknown) => (isObject(part) && isText(part['text']) ? part['text'] : '')).join('');
}

function tells(value: unknown): boolean {
  return value != null && value !== '' && !(Array.isArray(value) && value.length === 0);
}
