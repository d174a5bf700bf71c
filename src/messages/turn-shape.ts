import { memberBytes } from '../json/json-bytes.js';
import { hasSomeText, hasText, mayHaveText, textBytes, valueAt } from '../wire/members.js';
import { isObject, type JsonObject } from '../wire/json-object.js';
import { listProblem } from '../wire/list-problem.js';
import { ownOf } from '../wire/own-members.js';
import { type WrittenAs, writtenAs } from './foreign-blocks.js';

/** Bounds of ours, the same as for chat completions: the format documents none. */
const MAX_TURNS = 10_000;
const MAX_BLOCKS = 2_000;

/** Bytes of the inputs of all tool calls together: they are made into text at once. */
const MAX_INPUTS = 4 * 1024 * 1024;

/** Bytes of the text before the thinking of an answer, whose place among the text is told by its length. */
const MAX_PLACED = 4 * 1024 * 1024;

export const turnsSchema = { minItems: 1, maxItems: MAX_TURNS };

const imageTypes: readonly unknown[] = ['image/jpeg', 'image/png', 'image/gif', 'image/webp'];

type Problem = string | undefined;

/**
 * Checks the shapes of the turns of a request, without the order of their roles. Fields that the format does not know
 * are ignored, and do not reach a provider.
 * @returns what is wrong, beginning with the path of the wrong field; undefined where nothing is
 */
export function turnsProblem(turns: unknown): Problem {
  if (!Array.isArray(turns) || turns.length === 0) return 'messages must be a non-empty array';
  const last: unknown = turns.at(-1);
  return (
    listProblem(turns, 'messages', MAX_TURNS, (turn) => turnProblem(turn, turn === last)) ?? inputsProblem(turns as readonly JsonObject[])
  );
}

/** A text, or text blocks. */
export function systemProblem(system: unknown): Problem {
  if (typeof system === 'string') return undefined;
  if (!Array.isArray(system)) return 'system must be a string or an array of text blocks';
  return listProblem(system, 'system', MAX_BLOCKS, textBlockProblem);
}

export function cacheControlProblem(mark: unknown): Problem {
  return markProblem(mark, 'cache_control');
}

function inputsProblem(turns: readonly JsonObject[]): Problem {
  let [bytes, placed] = [0, 0];
  for (const [index, turn] of turns.entries()) {
    const content = valueAt(turn, 'content');
    if (!Array.isArray(content) || turn['role'] !== 'assistant') continue;
    const blocks = content as readonly JsonObject[];
    for (const block of blocks)
      if (block['type'] === 'tool_use' || writtenAs(block['type']) === 'call') bytes += memberBytes(block, 'input');
    if (bytes > MAX_INPUTS)
      return `messages[${index}].content: the inputs of all tool calls must have at most ${MAX_INPUTS} bytes together`;
    for (const block of blocks.slice(0, Math.max(0, lastSigned(blocks)))) placed += textBytes(block, 'text');
    if (placed > MAX_PLACED)
      return `messages[${index}].content: all texts before thinking blocks must have at most ${MAX_PLACED} bytes together`;
  }
  return undefined;
}

/** @returns the index of the last block of thinking; -1 where there is none */
export function lastSigned(blocks: readonly object[]): number {
  return blocks.findLastIndex((block) => {
    const type = valueAt(block, 'type');
    return type === 'thinking' || type === 'redacted_thinking';
  });
}

/** @param isLast whether blocks of unknown types are refused: the answer is to what they say */
function turnProblem(turn: unknown, isLast: boolean): Problem {
  if (!isObject(turn)) return ' must be an object';
  const role = valueAt(turn, 'role');
  if (role !== 'user' && role !== 'assistant' && role !== 'system') return ".role must be 'user', 'assistant' or 'system'";
  if (hasText(turn, 'content')) return undefined;
  const { content } = turn;
  if (!Array.isArray(content)) return '.content must be a string or an array of blocks';
  if (content.length === 0) return '.content must not be an empty array';
  return listProblem(content, '.content', MAX_BLOCKS, (block) => blockProblem(block, ofRoles[role], isLast || role === 'system'));
}

const shown: Readonly<Record<string, (block: JsonObject, isLast: boolean) => Problem>> = {
  text: (block) => (hasText(block, 'text') ? undefined : '.text must be a string'),
  image: imageProblem,
  document: documentProblem,
  search_result: searchResultProblem,
};

const texts: typeof shown = { text: shown['text']! };

const ofUsers: typeof shown = { ...shown, tool_result: toolResultProblem };

const ofResults: typeof shown = {
  ...shown,
  tool_reference: (block) => (hasSomeText(block, 'tool_name') ? undefined : '.tool_name must be a non-empty string'),
};

const ofAssistants: typeof shown = {
  ...texts,
  thinking: thinkingProblem,
  redacted_thinking: (block) => (hasText(block, 'data') ? undefined : '.data must be a string'),
  tool_use: toolUseProblem,
};

const ofRoles = { user: ofUsers, assistant: ofAssistants, system: texts };

/** The checks of blocks of a vendor's tools. */
const foreign: Readonly<Record<Exclude<WrittenAs, 'name'>, (block: JsonObject) => Problem>> = {
  call: toolUseProblem,
  result: foreignResultProblem,
  text: (block) => (mayHaveText(block, 'content') ? undefined : '.content must be a string'),
};

function textBlockProblem(block: unknown): Problem {
  return blockProblem(block, texts);
}

/**
 * @param known the check of each type of block that may stand here
 * @param isLast whether others are refused
 */
function blockProblem(block: unknown, known: typeof shown, isLast = true): Problem {
  if (!isObject(block)) return ' must be an object';
  const type = valueAt(block, 'type');
  const as = known === ofAssistants ? writtenAs(type) : undefined;
  const problemOf = as && as !== 'name' ? foreign[as] : ownOf(known, type);
  if (!problemOf) {
    const isElsewhere = ownOf(ofUsers, type) ?? ownOf(ofAssistants, type);
    if (isElsewhere || (isLast && known !== ofAssistants)) return `.type must be one of ${Object.keys(known).join(', ')}`;
    return hasSomeText(block, 'type') ? undefined : '.type must be a non-empty string';
  }
  return problemOf(block, isLast) ?? markProblem(valueAt(block, 'cache_control'), '.cache_control');
}

function markProblem(mark: unknown, path: string): Problem {
  if (mark === undefined || mark === null) return undefined;
  if (!isObject(mark) || valueAt(mark, 'type') !== 'ephemeral') return `${path}.type must be 'ephemeral'`;
  const ttl = valueAt(mark, 'ttl');
  return ttl === undefined || ttl === null || ttl === '5m' || ttl === '1h' ? undefined : `${path}.ttl must be '5m' or '1h'`;
}

function imageProblem(block: JsonObject): Problem {
  const source = valueAt(block, 'source');
  if (!isObject(source)) return '.source must be an object';
  const type = valueAt(source, 'type');
  if (type === 'url') return hasSomeText(source, 'url') ? undefined : '.source.url must be a non-empty string';
  if (type !== 'base64') return ".source.type must be 'base64' or 'url'";
  if (!imageTypes.includes(valueAt(source, 'media_type'))) return `.source.media_type must be one of ${imageTypes.join(', ')}`;
  return hasSomeText(source, 'data') ? undefined : '.source.data must be a non-empty string';
}

function documentProblem(block: JsonObject): Problem {
  const source = valueAt(block, 'source');
  if (!isObject(source)) return '.source must be an object';
  if (!mayHaveText(block, 'title')) return '.title must be a string';
  if (!mayHaveText(block, 'context')) return '.context must be a string';
  const citations = valueAt(block, 'citations');
  if (isObject(citations) && citations['enabled'] === true) return '.citations is not supported';
  switch (valueAt(source, 'type')) {
    case 'base64':
      if (valueAt(source, 'media_type') !== 'application/pdf') return ".source.media_type must be 'application/pdf'";
      return hasSomeText(source, 'data') ? undefined : '.source.data must be a non-empty string';
    case 'url':
      return hasSomeText(source, 'url') ? undefined : '.source.url must be a non-empty string';
    case 'text':
      return hasText(source, 'data') ? undefined : '.source.data must be a string';
    case 'content':
      return shownProblem(source, '.source.content', contentSource);
    default:
      return ".source.type must be 'base64', 'url', 'text' or 'content'";
  }
}

const contentSource: typeof shown = { text: shown['text']!, image: imageProblem };

function searchResultProblem(block: JsonObject): Problem {
  if (!hasText(block, 'source')) return '.source must be a string';
  if (!hasText(block, 'title')) return '.title must be a string';
  const { content } = block;
  if (!Array.isArray(content)) return '.content must be an array of text blocks';
  return listProblem(content, '.content', MAX_BLOCKS, textBlockProblem);
}

function thinkingProblem(block: JsonObject): Problem {
  if (!hasText(block, 'thinking')) return '.thinking must be a string';
  return mayHaveText(block, 'signature') ? undefined : '.signature must be a string';
}

function toolUseProblem(block: JsonObject): Problem {
  if (!hasSomeText(block, 'id')) return '.id must be a non-empty string';
  if (!hasSomeText(block, 'name')) return '.name must be a non-empty string';
  return isObject(valueAt(block, 'input')) ? undefined : '.input must be an object';
}

function foreignResultProblem(block: JsonObject): Problem {
  if (!hasSomeText(block, 'tool_use_id')) return '.tool_use_id must be a non-empty string';
  return hasText(block, 'content') || typeof block['content'] === 'object' ? undefined : '.content must be a string, an array or an object';
}

function toolResultProblem(block: JsonObject, isLast: boolean): Problem {
  if (!hasSomeText(block, 'tool_use_id')) return '.tool_use_id must be a non-empty string';
  const failed = valueAt(block, 'is_error');
  if (failed !== undefined && failed !== null && typeof failed !== 'boolean') return '.is_error must be a boolean';
  const content = valueAt(block, 'content');
  return content === undefined || content === null ? undefined : shownProblem(block, '.content', ofResults, isLast);
}

/** The content of a holder: a text, or blocks of these types. */
function shownProblem(holder: JsonObject, path: string, types: typeof shown, isLast = true): Problem {
  if (hasText(holder, 'content')) return undefined;
  const { content } = holder;
  if (!Array.isArray(content)) return `${path} must be a string or an array of blocks`;
  return listProblem(content, path, MAX_BLOCKS, (block) => blockProblem(block, types, isLast));
}
