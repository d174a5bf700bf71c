import { isObject, type JsonObject } from '../../wire/json-object.js';
import { tokenCount } from './token-count.js';
import { ownOf, setMember } from '../../wire/own-members.js';

/** Names of one object at most, and objects within objects: a usage has some thirty, and three. */
const MAX_NAMES = 64;
const MAX_DEPTH = 4;

/**
 * Joins the usages of one answer. Vendors count from its beginning, so that the most that was told of each count holds,
 * whatever a later usage leaves out or begins anew.
 * @param most is changed
 */
export function mostOf(most: JsonObject, told: JsonObject, depth = 1): JsonObject {
  let names = Object.keys(most).length;
  for (const name in told) {
    if (!Object.hasOwn(most, name) && names++ >= MAX_NAMES) continue;
    setMember(most, name, mostOfEach(ownOf(most, name), told[name], depth));
  }
  return most;
}

function mostOfEach(before: unknown, told: unknown, depth: number): unknown {
  if (typeof told === 'number' && typeof before === 'number') {
    if (tokenCount(told) === undefined) return tokenCount(before) === undefined ? told : before;
    return tokenCount(before) === undefined ? told : Math.max(before, told);
  }
  if (tokenCount(before) !== undefined || told == null) return before ?? told;
  if (Array.isArray(told)) return Array.isArray(before) ? mostOfLists(before, told, depth) : told;
  if (!isObject(told)) return told;
  return depth < MAX_DEPTH ? mostOf(isObject(before) ? { ...before } : {}, told, depth + 1) : told;
}

/** Google counts by `modality`, and Amazon by `ttl`. */
function mostOfLists(before: readonly unknown[], told: readonly unknown[], depth: number): unknown[] {
  const most = [...before];
  for (const one of told) {
    if (!isObject(one)) continue;
    const place = most.findIndex((other) => isObject(other) && other['modality'] === one['modality'] && other['ttl'] === one['ttl']);
    if (place < 0 && most.length < MAX_NAMES) most.push(one);
    else if (place >= 0) most[place] = mostOfEach(most[place], one, depth);
  }
  return most;
}
