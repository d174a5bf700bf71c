import { changedFrom } from '../json/json-source.js';
import { copyMember } from '../wire/members.js';
import { isObject, type JsonObject } from '../wire/json-object.js';
import { ownOf } from '../wire/own-members.js';
import { foreignShape, mark, type Rule, type Shape } from './foreign-blocks.js';

/** Where a text has found what it says: in a result of the vendor's search, or in a document of the conversation. */
const citation: Shape = {
  type: 'any',
  cited_text: 'any',
  url: 'any',
  title: 'any',
  encrypted_index: 'any',
  source: 'any',
  search_result_index: 'any',
  document_index: 'any',
  document_title: 'any',
  start_char_index: 'any',
  end_char_index: 'any',
  start_page_number: 'any',
  end_page_number: 'any',
  start_block_index: 'any',
  end_block_index: 'any',
};

const blocks: Readonly<Record<string, Shape>> = {
  text: { type: 'any', text: 'any', citations: citation, cache_control: mark },
  image: { type: 'any', source: { type: 'any', media_type: 'any', data: 'any', url: 'any' }, cache_control: mark },
  document: {
    type: 'any',
    source: { type: 'any', media_type: 'any', data: 'any', url: 'any', content: 'blocks' },
    title: 'any',
    context: 'any',
    cache_control: mark,
  },
  search_result: { type: 'any', source: 'any', title: 'any', content: 'blocks', cache_control: mark },
  thinking: { type: 'any', thinking: 'any', signature: 'any' },
  redacted_thinking: { type: 'any', data: 'any' },
  tool_use: { type: 'any', id: 'any', name: 'any', input: 'any', cache_control: mark },
  tool_result: { type: 'any', tool_use_id: 'any', content: 'blocks', is_error: 'any', cache_control: mark },
};

export const turnShape: Shape = { role: 'any', content: 'blocks' };

export const toolShape: Shape = {
  type: 'any',
  name: 'any',
  description: 'any',
  input_schema: 'any',
  strict: 'any',
  defer_loading: 'any',
  eager_input_streaming: 'any',
  cache_control: mark,
};

export const toolChoiceShape: Shape = { type: 'any', name: 'any', disable_parallel_tool_use: 'any' };
export const thinkingShape: Shape = { type: 'any', budget_tokens: 'any', display: 'any' };
export const formatShape: Shape = { type: 'any', schema: 'any' };
export const outputConfigShape: Shape = {
  effort: 'any',
  format: formatShape,
  task_budget: { type: 'any', total: 'any', remaining: 'any' },
};
export const metadataShape: Shape = { user_id: 'any' };
export { mark as markShape };

/** The members of a block that Anthropic takes as it came; undefined for one that it does not. */
export function blockShape(type: unknown): Shape | undefined {
  return ownOf(blocks, type) ?? foreignShape(type);
}

/** Is told each member that is left out because it is not known. */
export type LeaveOut = (holder: object, name: string) => void;

/** A list of objects with their known members alone; the same list where they have no others. */
export function knownOfAll(list: readonly unknown[], leaveOut: LeaveOut | undefined, shape?: Shape): readonly unknown[] {
  return changedOf(list, (own) => knownOrSame(own, leaveOut, shape));
}

/** A list with its objects changed; the same list where none is another one. */
export function changedOf(list: readonly unknown[], change: (own: JsonObject) => JsonObject): readonly unknown[] {
  let changed: unknown[] | undefined;
  for (let index = 0; index < list.length; index++) {
    const own = list[index];
    const known = isObject(own) ? change(own) : own;
    if (known !== own) (changed ??= list.slice())[index] = known;
  }
  return changed ? changedFrom(list, changed) : list;
}

/** Blocks that nobody knows are left out as a whole. */
function knownOrSame(own: JsonObject, leaveOut: LeaveOut | undefined, shape = blockShape(own['type'])): JsonObject {
  return shape ? knownOf(own, shape, leaveOut) : own;
}

/** An object with its known members alone; the same object where it has no others. */
export function knownOf(holder: JsonObject, shape: Shape, leaveOut?: LeaveOut): JsonObject {
  let changed: JsonObject | undefined;
  for (const name of Object.keys(holder)) {
    const rule = ownOf(shape, name);
    const own = holder[name];
    const known = own === undefined || own === null || rule === undefined ? own : ruled(own, rule, leaveOut);
    if (rule !== undefined && known === own) continue;
    changed ??= members(holder, shape);
    if (rule !== undefined) changed[name] = known;
    else leaveOut?.(holder, name);
  }
  return changed ?? holder;
}

function members(holder: JsonObject, shape: Shape): JsonObject {
  const known: JsonObject = {};
  for (const name of Object.keys(holder)) if (Object.hasOwn(shape, name)) copyMember(holder, name, known);
  return known;
}

function ruled(value: unknown, rule: Rule, leaveOut?: LeaveOut): unknown {
  if (rule === 'any') return value;
  const shape = rule === 'blocks' ? undefined : rule;
  if (Array.isArray(value)) return knownOfAll(value, leaveOut, shape);
  return isObject(value) ? knownOrSame(value, leaveOut, shape) : value;
}
