import { isObject, type JsonObject } from '../wire/json-object.js';
import { ownOf } from '../wire/own-members.js';

/** Which members of an object, or of each object of a list, are read: `true`, or the members in them. */
export interface ReadMembers {
  readonly [name: string]: true | ReadMembers;
}

/** Members that are read as they are. @param list names between spaces */
export function namesRead(list: string): ReadMembers {
  return Object.fromEntries(list.split(' ').map((name) => [name, true]));
}

/** Names that one report has at most. */
const MAX_REPORTED = 20;

/** Adds a name to a report, unless that has too many. */
export function report(reported: Set<string>, name: string): void {
  if (reported.size < MAX_REPORTED) reported.add(name);
}

/**
 * Adds the path of each member of a value that is not read and says something.
 * @param path of the value, without indices of lists
 */
export function reportUnread(value: unknown, read: ReadMembers, path: string, reported: Set<string>): void {
  if (Array.isArray(value)) for (const one of value as unknown[]) reportUnread(one, read, path, reported);
  else if (isObject(value)) reportMembers(value, read, path, reported);
}

function reportMembers(value: JsonObject, read: ReadMembers, path: string, reported: Set<string>): void {
  for (const name in value) {
    const known = ownOf(read, name);
    if (known === true) continue;
    if (known) reportUnread(value[name], known, `${path}.${name}`, reported);
    else if (hasMeaning(value, name)) report(reported, `${path}.${name.slice(0, 100)}`);
  }
}

/** Whether a member asks for anything: an empty one, `false` and `auto` leave it to the vendor. */
export function hasMeaning(holder: object, name: string): boolean {
  const value = (holder as JsonObject)[name];
  return value != null && value !== '' && value !== false && value !== 'auto' && !(Array.isArray(value) && value.length === 0);
}
