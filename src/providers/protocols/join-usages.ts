import { jsonBytes } from '../../json/json-bytes.js';
import { isObject, type JsonObject } from '../../wire/json-object.js';
import { tokenCount } from './token-count.js';
import { ownOf, setMember } from '../../wire/own-members.js';

/** Bytes of JSON of a usage that is kept, which has some hundreds. */
const MAX_BYTES = 16 * 1024;

/** Prompts that have their parts inside. */
const wholePrompts = ['prompt_tokens', 'promptTokenCount'];
const promptNames = [...wholePrompts, 'input_tokens'];
const partsOfPrompt = /prompt|cache/i;
const totalNames = ['total_tokens', 'totalTokenCount'];

/** Which word on a count holds: the last, where documents say so, or the most. */
export type Word = 'last' | 'most';

/**
 * Joins two usages of one answer, each of which counts from its beginning: a count that the later one leaves out holds.
 * The zeros of a usage that counts no prompt are no words: servers send them where they have not counted. A total is
 * that of the counts that came with it, and so are parts inside a prompt that is corrected.
 * @returns `before` where it would be too large
 */
export function joinUsages(before: JsonObject | undefined, told: JsonObject, word: Word): JsonObject {
  if (!before) return jsonBytes(told) > MAX_BYTES ? {} : told;
  const counted = promptNames.some((name) => (tokenCount(told[name]) ?? 0) > 0);
  const corrected = word === 'last' && wholePrompts.some((name) => before[name] && tokenCount(told[name]) && told[name] !== before[name]);
  const holds = corrected ? Object.fromEntries(Object.entries(before).filter(([name]) => !partsOfPrompt.test(name))) : before;
  const joined = join(holds, told, (was, is) => (is === 0 && !counted ? was : word === 'last' ? is : Math.max(was, is)));
  if (jsonBytes(joined) > MAX_BYTES) return before;
  const isNews = (name: string) =>
    name.toLowerCase().includes('token') && tokenCount(told[name]) !== undefined && joined[name] !== before[name];
  for (const name of totalNames) if (tokenCount(told[name]) === undefined && Object.keys(told).some(isNews)) delete joined[name];
  return joined;
}

type Choose = (before: number, told: number) => number;

function join(before: JsonObject, told: JsonObject, choose: Choose): JsonObject {
  const joined = { ...before };
  for (const name in told) setMember(joined, name, joinMember(ownOf(joined, name), told[name], choose));
  return joined;
}

function joinMember(before: unknown, told: unknown, choose: Choose): unknown {
  if (told == null || (Array.isArray(told) && told.length === 0)) return before ?? told;
  if (tokenCount(before) !== undefined) return tokenCount(told) === undefined ? before : choose(before as number, told as number);
  return isObject(told) ? join(isObject(before) ? before : {}, told, choose) : told;
}
