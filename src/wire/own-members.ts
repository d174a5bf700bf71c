/*
 * Members by names that come from outside: of a client, of a vendor, of a file. No such name finds what all objects
 * inherit (`constructor`), or changes it (`__proto__`).
 */

/** The member of a table by a name from outside. */
export function ownOf<T>(table: Readonly<Record<string, T>>, name: unknown): T | undefined {
  return typeof name === 'string' && Object.hasOwn(table, name) ? table[name] : undefined;
}

/** Sets a member by any name: to assign `__proto__` would change what the object inherits. */
export function setMember(holder: object, name: string | number, value: unknown): void {
  if (name !== '__proto__') (holder as Record<string | number, unknown>)[name] = value;
  else Object.defineProperty(holder, name, { value, enumerable: true, configurable: true, writable: true });
}
