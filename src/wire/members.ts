import { setMember } from './own-members.js';

/**
 * Gives an object a member of another one.
 * @param as the name that it gets
 */
export function copyMember(from: object, name: string, to: object, as = name): void {
  setMember(to, as, (from as Record<string, unknown>)[name]);
}

/** Does what `Object.assign` does, also of a member `__proto__`. */
export function copyMembers<T extends object>(from: object, to: T): T {
  if (!Object.hasOwn(from, '__proto__')) return Object.assign(to, from);
  for (const name of Object.keys(from)) copyMember(from, name, to);
  return to;
}

/** A shallow copy of an object of JSON. */
export function copyOf<T extends object>(holder: T): T {
  return { ...holder };
}

/** A shallow copy of an object of JSON with other members. */
export function copyWith<T extends object>(holder: T, members: Partial<T>): T {
  return { ...holder, ...members };
}

/** The value of a member. */
export function valueAt(holder: object, name: string): unknown {
  return (holder as Record<string, unknown>)[name];
}

/** Whether a member is a string. */
export function hasText(holder: object, name: string): boolean {
  return typeof valueAt(holder, name) === 'string';
}

/** Whether a member is a string that is not empty. */
export function hasSomeText(holder: object, name: string): boolean {
  return hasText(holder, name) && valueAt(holder, name) !== '';
}

/** Whether a member is a string, null or absent. */
export function mayHaveText(holder: object, name: string): boolean {
  const value = valueAt(holder, name);
  return value === undefined || value === null || typeof value === 'string';
}

/** Whether a member is a text with a character that is not white space. */
export function hasVisibleText(holder: object, name: string): boolean {
  return hasText(holder, name) && /\S/.test(valueAt(holder, name) as string);
}

/** The beginning of a member that is a string. */
export function textStart(holder: object, name: string, length: number): string {
  return String(valueAt(holder, name)).slice(0, length);
}

/** Whether a member is a string of at most so many UTF-16 code units. */
export function hasTextUpTo(holder: object, name: string, length: number): boolean {
  const value = valueAt(holder, name);
  return typeof value === 'string' && value.length <= length;
}

/** The UTF-8 bytes of a member that is a string; 0 for anything else. */
export function textBytes(holder: object, name: string): number {
  const value = valueAt(holder, name);
  return typeof value === 'string' ? Buffer.byteLength(value) : 0;
}

/** A member of an object, which is a text, null or absent. */
export type Member = readonly [holder: object, name: string];

/** Makes a member of several texts. */
export function putJoined(to: object, as: string, members: readonly Member[], between = ''): void {
  const texts = members.map(([holder, name]) => (holder as Record<string, string | null | undefined>)[name] ?? '');
  setMember(to, as, texts.join(between));
}
