import { textStart, valueAt } from '../wire/members.js';
import { isObject, type JsonObject } from '../wire/json-object.js';
import { ownOf } from '../wire/own-members.js';

/** What is done with a member: it stays as it is, it is of known members, one or a list, or of blocks. */
export type Rule = 'any' | 'blocks' | Shape;

export interface Shape {
  readonly [member: string]: Rule;
}

/** What a block of a vendor's tools is for a model that does not know it. */
export type WrittenAs = 'call' | 'result' | 'text' | 'name';

interface ForeignBlock {
  readonly as: WrittenAs;
  /** Its members, where Anthropic takes it without a beta feature. Absent: it is put in words for Anthropic too. */
  readonly native?: Shape;
  /** The tool without which a vendor does not take it, as its name begins. */
  readonly tool?: string;
}

/** A mark of prompt caching. */
export const mark: Shape = { type: 'any', ttl: 'any' };

const reference: Shape = { type: 'any', tool_name: 'any', cache_control: mark };

/** Members of all that Anthropic's own tools answer. None has it read an address, or what is in an account. */
const answer: Shape = {
  type: 'any',
  stdout: 'any',
  encrypted_stdout: 'any',
  stderr: 'any',
  return_code: 'any',
  file_type: 'any',
  is_file_update: 'any',
  lines: 'any',
  num_lines: 'any',
  start_line: 'any',
  total_lines: 'any',
  new_lines: 'any',
  new_start: 'any',
  old_lines: 'any',
  old_start: 'any',
  url: 'any',
  title: 'any',
  page_age: 'any',
  encrypted_content: 'any',
  retrieved_at: 'any',
  error_code: 'any',
  error_message: 'any',
  content: { type: 'any', source: { type: 'any', media_type: 'any', data: 'any' }, title: 'any', context: 'any' },
  tool_references: reference,
};
const result: Shape = { type: 'any', tool_use_id: 'any', content: answer, caller: { type: 'any', tool_id: 'any' }, cache_control: mark };

/**
 * Blocks that a conversation brings back of tools which its vendor runs, and what becomes of them (docs.anthropic.com,
 * Messages; `@anthropic-ai/sdk`, ContentBlockParam and BetaContentBlockParam). A block of any other type is left out of
 * a history, and reported.
 */
const foreign: Readonly<Record<string, ForeignBlock>> = {
  tool_reference: { as: 'name', native: reference, tool: 'tool_search' },
  server_tool_use: {
    as: 'call',
    native: { type: 'any', id: 'any', name: 'any', input: 'any', caller: { type: 'any', tool_id: 'any' }, cache_control: mark },
  },
  web_search_tool_result: { as: 'result', native: result, tool: 'web_search' },
  web_fetch_tool_result: { as: 'result', native: result, tool: 'web_fetch' },
  tool_search_tool_result: { as: 'result', native: result, tool: 'tool_search' },
  code_execution_tool_result: { as: 'result', native: result, tool: 'code_execution' },
  bash_code_execution_tool_result: { as: 'result', native: result, tool: 'code_execution' },
  text_editor_code_execution_tool_result: { as: 'result', native: result, tool: 'code_execution' },
  mcp_tool_use: { as: 'call' },
  mcp_tool_result: { as: 'result' },
  compaction: { as: 'text' },
};

/** The tools of blocks, by their types. */
export const toolsOfBlocks: ReadonlyMap<unknown, string> = new Map(
  Object.entries(foreign).flatMap(([type, { tool }]) => (tool ? [[type, tool]] : [])),
);

/** How a block is written in words; undefined for one that is not of a vendor's tool, or that nobody knows. */
export function writtenAs(type: unknown): WrittenAs | undefined {
  return ownOf(foreign, type)?.as;
}

/** The members of a block of a vendor's tool that Anthropic takes. */
export function foreignShape(type: unknown): Shape | undefined {
  return ownOf(foreign, type)?.native;
}

/** Calls at the end of a conversation within which their vendor has paused: their results are still to come. */
export function pausedCalls(turns: readonly object[]): ReadonlySet<object> {
  const last = turns.at(-1);
  if (!last || valueAt(last, 'role') !== 'assistant') return new Set();
  const blocks = [...blocksOf([last])];
  const ended = new Set(blocks.map((block) => valueAt(block, 'tool_use_id')));
  return new Set(blocks.filter((block) => writtenAs(block['type']) === 'call' && !ended.has(valueAt(block, 'id'))));
}

/** Of the report of what is left out. */
export function reportedAs(block: object): string {
  return `messages.content.${textStart(block, 'type', 100)}`;
}

/** All blocks of turns, those in results of tools and in documents among them. */
export function* blocksOf(turns: readonly object[]): Generator<JsonObject> {
  for (const turn of turns) {
    const content = valueAt(turn, 'content');
    for (const block of Array.isArray(content) ? (content as JsonObject[]) : []) {
      yield block;
      const type = valueAt(block, 'type');
      if (type === 'tool_result' || type === 'search_result') yield* blocksOf([block]);
      else if (type === 'document' && isObject(block['source'])) yield* blocksOf([block['source']]);
    }
  }
}
