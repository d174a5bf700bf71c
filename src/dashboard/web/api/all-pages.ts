/** Pages that are read at most. */
const MAX_PAGES = 50;

interface ListPage<T> {
  data: readonly T[];
  next: string | null;
}

/** Reads a list from its beginning to its end. */
export async function allPages<T>(read: (after: string | undefined) => Promise<ListPage<T>>): Promise<T[]> {
  const all: T[] = [];
  let after: string | undefined;
  for (let page = 0; page < MAX_PAGES; page++) {
    const { data, next } = await read(after);
    all.push(...data);
    if (next === null) break;
    after = next;
  }
  return all;
}
