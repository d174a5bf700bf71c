/** Characters of a long id that tell it from others. */
const TELLING = 4_096;

/** What tells an id from others: the id itself; of a long one its beginning and its length. */
export function idKey(holder: object, name: string): string {
  const id = (holder as Record<string, string | undefined>)[name] ?? '';
  return id.length > TELLING ? `${id.slice(0, TELLING)} ${id.length}` : id;
}
