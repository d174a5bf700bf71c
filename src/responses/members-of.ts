import { copyMember, valueAt } from '../wire/members.js';
import type { JsonObject } from '../wire/json-object.js';

/** Is told each member that is left out because it is not known. */
export type LeaveOut = (holder: object, name: string) => void;

/**
 * The members of these names that say something.
 * @param read names of others that are read elsewhere
 */
export function membersOf(holder: object, names: readonly string[], leaveOut?: LeaveOut, read: readonly string[] = []): JsonObject {
  const members: JsonObject = {};
  for (const name of names) if (valueAt(holder, name) != null) copyMember(holder, name, members);
  if (leaveOut) othersOf(holder, [...names, ...read], leaveOut);
  return members;
}

/** @param names of the members that are known */
export function othersOf(holder: object, names: readonly string[], leaveOut: LeaveOut): void {
  for (const name of Object.keys(holder)) if (!names.includes(name)) leaveOut(holder, name);
}
