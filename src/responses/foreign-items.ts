import { copyWith, hasSomeText, hasTextUpTo, textStart, valueAt } from '../wire/members.js';
import { isObject } from '../wire/json-object.js';
import type { NativeRequest } from '../wire/native.js';
import type { InputItem } from '../wire/response-input.js';
import type { ResponseTool } from '../wire/response-tool.js';
import { ownOf } from '../wire/own-members.js';

const MAX_ID = 256;

/** What becomes of an item where it is not passed on as it came. What is neither of these is left out, and reported. */
export interface ForeignItem {
  /** How the ids begin that the gateway gives such items. */
  readonly prefix: string;
  /** The item is a call of a function by this name, or by that in the item. Its arguments are this member. */
  readonly call?: { readonly name?: string; readonly input: string };
  /** It is what a call has brought, or has that itself: this member. */
  readonly result?: string;
  /** The client runs the call: call and result are two items, and the first of these members that there is has the id of both. */
  readonly client?: readonly string[];
  /** It has tools that the model may call from then on. */
  readonly loads?: true;
  /** How the hosted tools begin of which a vendor of the format has to have one to read the item. Absent: it reads it. */
  readonly tool?: string;
}

/** Items beyond messages, calls and reasoning (openai-node, src/resources/responses/responses.ts, ResponseInputItem). */
const foreign: Readonly<Record<string, ForeignItem>> = {
  web_search_call: { prefix: 'ws', call: { name: 'web_search', input: 'action' }, result: 'results', tool: 'web_search' },
  file_search_call: { prefix: 'fs', call: { name: 'file_search', input: 'queries' }, result: 'results', tool: 'file_search' },
  // What it ran in is gone by the next request: no vendor has a tool of that name.
  code_interpreter_call: { prefix: 'ci', call: { name: 'code_interpreter', input: 'code' }, result: 'outputs', tool: 'passed' },
  image_generation_call: { prefix: 'ig', tool: 'image_generation' },
  mcp_list_tools: { prefix: 'mcpl', tool: 'mcp' },
  mcp_call: { prefix: 'mcp', call: { input: 'arguments' }, result: 'output', tool: 'mcp' },
  mcp_approval_request: { prefix: 'mcpr', tool: 'mcp' },
  mcp_approval_response: { prefix: 'mcpa', tool: 'mcp' },
  local_shell_call: { prefix: 'lsh', call: { name: 'local_shell', input: 'action' }, client: ['call_id'], tool: 'local_shell' },
  local_shell_call_output: { prefix: 'lsho', result: 'output', client: ['call_id', 'id'], tool: 'local_shell' },
  shell_call: { prefix: 'sh', call: { name: 'shell', input: 'action' }, client: ['call_id'], tool: 'shell' },
  shell_call_output: { prefix: 'sho', result: 'output', client: ['call_id'], tool: 'shell' },
  apply_patch_call: { prefix: 'apc', call: { name: 'apply_patch', input: 'operation' }, client: ['call_id'], tool: 'apply_patch' },
  apply_patch_call_output: { prefix: 'apco', result: 'output', client: ['call_id'], tool: 'apply_patch' },
  computer_call: { prefix: 'cu', tool: 'computer' },
  computer_call_output: { prefix: 'cuo', tool: 'computer' },
  tool_search_call: { prefix: 'tsc', call: { name: 'tool_search', input: 'arguments' }, client: ['call_id'] },
  tool_search_output: { prefix: 'tso', result: 'tools', client: ['call_id'], loads: true },
  additional_tools: { prefix: 'at', loads: true },
  compaction: { prefix: 'cmp' },
};

/** The name of the function that stands for the search of tools that a client makes. */
export const TOOL_SEARCH = 'tool_search';

/** The type of an item: clients leave it out of messages and of references. */
export function typeOf(item: object): unknown {
  return valueAt(item, 'type') ?? (valueAt(item, 'role') === undefined ? 'item_reference' : 'message');
}

/** @returns undefined for messages, calls, reasoning and references, and for an item that nobody knows */
export function foreignItem(type: unknown): ForeignItem | undefined {
  return ownOf(foreign, type);
}

/** How the id of an item of this type begins. */
export function idPrefixOf(type: string): string {
  return foreignItem(type)?.prefix ?? 'item';
}

/** The name of a call that an item is for a model that does not know the item. */
export function calledName(item: object, { call }: ForeignItem): string | undefined {
  return (
    call && (call.name ?? (hasSomeText(item, 'name') && hasTextUpTo(item, 'name', MAX_ID) ? (item as { name: string }).name : undefined))
  );
}

/** The ids of calls by those of their items. */
export type CallIds = ReadonlyMap<unknown, unknown>;

export function callIdsIn(input: readonly InputItem[]): CallIds {
  return new Map(input.filter((item) => typeOf(item) === 'local_shell_call').map(({ id, call_id }) => [id, call_id]));
}

/**
 * The id of the call of an item; undefined where it has none.
 * @param calls of which an output may name the item
 */
export function callIdOf(item: object, { client = ['id'] }: ForeignItem, calls?: CallIds): string | undefined {
  const name = client.find((one) => hasSomeText(item, one) && hasTextUpTo(item, one, MAX_ID));
  if (name === undefined) return undefined;
  const id = (item as Record<string, string>)[name]!;
  return (calls?.get(id) as string | undefined) ?? id;
}

/** Whether messages have no word for an item. */
export function isWordless(item: object, kind: ForeignItem): boolean {
  if (kind.client && callIdOf(item, kind) === undefined) return !kind.loads;
  return kind.call ? calledName(item, kind) === undefined : !kind.result && !kind.loads;
}

/** The members of an item that messages have words for. */
export function wordsOf(item: object, { call, client = [], result }: ForeignItem): readonly string[] {
  const failure = result !== undefined && valueAt(item, result) == null ? ['error'] : [];
  return [...client, ...failure, ...[call?.input, call && !call.name && 'name', result].filter((name) => typeof name === 'string')];
}

/** Whether the model has made an item. */
export function isOfModel(item: unknown): boolean {
  if (!isObject(item)) return false;
  const type = typeOf(item);
  return type === 'message' ? valueAt(item, 'role') === 'assistant' : madeByModel.test(String(type));
}

const madeByModel = /_call$|^(reasoning|compaction|mcp_list_tools|mcp_approval_request)$/;

/** Of the report of what is left out. */
export function reportedAs(item: object): string {
  return `input.${textStart(item, 'type', 100)}`;
}

/** The types of the parts of messages and results. */
export const partTypes: ReadonlySet<unknown> = new Set([
  'input_text',
  'input_image',
  'input_file',
  'input_audio',
  'output_text',
  'refusal',
]);

/** The items that have such parts, and the member that has them. */
const withParts: Readonly<Record<string, 'content' | 'output'>> = {
  message: 'content',
  function_call_output: 'output',
  custom_tool_call_output: 'output',
};

/**
 * An item without the parts whose types nobody knows.
 * @returns the same item where it has none; undefined for a message that has no others
 */
export function withKnownParts(item: InputItem, leaveOut?: (reported: string) => void): InputItem | undefined {
  const name = ownOf(withParts, typeOf(item));
  const parts = name && valueAt(item, name);
  if (!name || !Array.isArray(parts)) return item;
  const known = (parts as object[]).filter((part) => {
    const isKnown = partTypes.has(valueAt(part, 'type'));
    if (!isKnown) leaveOut?.(`input.${name}.${textStart(part, 'type', 100)}`);
    return isKnown;
  });
  if (known.length === parts.length) return item;
  return known.length > 0 || name === 'output' ? copyWith(item, { [name]: known }) : undefined;
}

/**
 * What a request has that not every provider of this format reads.
 * @param settings that other formats have no word for, as they are reported
 * @returns as NativeRequest has it
 */
export function beyondOf(
  input: unknown,
  tools: readonly ResponseTool[],
  settings: readonly string[],
): Pick<NativeRequest, 'beyond' | 'items' | 'needed' | 'tools'> {
  const items = Array.isArray(input) ? (input as InputItem[]) : [];
  const kinds = items.map((item) => foreignItem(typeOf(item)));
  const hasItems = kinds.some(Boolean) || tools.some(({ type }) => type === TOOL_SEARCH);
  if (!hasItems && settings.length === 0) return {};
  const wordless = items.filter((item, index) => kinds[index] && isWordless(item, kinds[index]));
  const last = items.at(-1);
  const ofTools = items.flatMap((item, index) => (kinds[index]?.tool ? [[typeOf(item) as string, kinds[index].tool] as const] : []));
  return {
    ...(ofTools.length > 0 && { tools: new Map(ofTools) }),
    items: hasItems,
    beyond: [...new Set([...settings, ...wordless.map(reportedAs), ...(tools.some(isVendorSearch) ? [`tools.${TOOL_SEARCH}`] : [])])],
    ...(last && wordless.at(-1) === last && { needed: reportedAs(last) }),
  };
}

/** A search of tools that the client makes: any other vendor's model calls a function for it. */
export function isClientSearch(tool: ResponseTool): boolean {
  return tool.type === TOOL_SEARCH && tool['execution'] === 'client';
}

function isVendorSearch(tool: ResponseTool): boolean {
  return tool.type === TOOL_SEARCH && !isClientSearch(tool);
}

/** The tools that the items of a conversation have brought, in their order. */
export function loadedTools(input: unknown): readonly ResponseTool[] {
  const items = Array.isArray(input) ? (input as InputItem[]) : [];
  return items.flatMap((item) => (foreignItem(typeOf(item))?.loads ? (item['tools'] as ResponseTool[]) : []));
}
