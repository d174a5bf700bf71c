/** Names of dropped parameters that a record has. */
const MAX_NAMES = 32;

/** Characters of each of them. */
const MAX_LENGTH = 64;

/** Writes the names of dropped parameters as a JSON array; beyond a number of them, how many more there were. */
export function droppedText(dropped: ReadonlySet<string>): string {
  if (dropped.size === 0) return '[]';
  const names = [...dropped];
  const kept = names.slice(0, MAX_NAMES).map((name) => (name.length > MAX_LENGTH ? `${name.slice(0, MAX_LENGTH)}…` : name));
  if (kept.length < names.length) kept.push(`… and ${names.length - kept.length} more`);
  return JSON.stringify(kept);
}
