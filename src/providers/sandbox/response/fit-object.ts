/** How many words of each text, and how many items of each array, are kept; fewer and fewer. */
const KEPT = [48, 24, 12, 6, 3, 1];

/**
 * Shortens an object until its JSON fits: first its sentences and arrays, then it loses its last members.
 * @param fits must be true of what is contained in something that fits
 * @returns JSON of one whole object, `{}` where nothing else fits
 */
export function fitObject(json: string, fits: (json: string) => boolean): string {
  if (fits(json)) return json;
  const value = JSON.parse(json) as Record<string, unknown>;
  for (const kept of KEPT) {
    const shorter = JSON.stringify(shortened(value, kept));
    if (fits(shorter)) return shorter;
  }
  const members = Object.entries(shortened(value, 1) as Record<string, unknown>);
  while (members.length > 0) {
    members.pop();
    const smaller = JSON.stringify(Object.fromEntries(members));
    if (fits(smaller)) return smaller;
  }
  return '{}';
}

function shortened(value: unknown, kept: number): unknown {
  if (typeof value === 'string') return value.split(' ').slice(0, kept).join(' ');
  if (Array.isArray(value)) return value.slice(0, kept).map((item) => shortened(item, kept));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, shortened(member, kept)]));
}
