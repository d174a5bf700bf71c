import { isObject, type Members, memberAt, objectsOf } from './rule-words.js';

/** A member's name, `*` or `**` or an index in brackets, and what fits there. */
const step = /([^.[(]+|\[[^\]]*\])(?:\(([^)]*)\))?\.?/g;

/** What stands at a place as rules write it, each with its own place: `messages[*](role=user|tool).content`. */
export function placesOf(body: Members, where: string): readonly (readonly [string, unknown])[] {
  let found: readonly (readonly [string, unknown])[] = [['', body]];
  for (const [, name = '', fits] of where.matchAll(step)) {
    found = found.flatMap(([place, value]) => stepsOf(place, value, name)).filter(([, value]) => fits === undefined || isFit(value, fits));
  }
  return found.map(([place, value]) => [place.replace(/^\./, ''), value]);
}

function stepsOf(place: string, value: unknown, name: string): readonly (readonly [string, unknown])[] {
  // The members of a schema's properties have the client's names.
  if (name === '**') return [...objectsOf(value, place)].filter(([at]) => !at.endsWith('.properties'));
  if (name.startsWith('[')) {
    const entries = Array.isArray(value) ? value.map((one: unknown, index) => [`[${index}]`, one] as const) : membersOf(value);
    const wanted = name.slice(1, -1);
    return (wanted === '*' ? entries : entries.slice(Number(wanted)).slice(0, 1)).map(([at, one]) => [`${place}${at}`, one]);
  }
  return membersOf(value)
    .filter(([at]) => at === `.${name}`)
    .map(([at, one]) => [`${place}${at}`, one]);
}

const membersOf = (value: unknown) => (isObject(value) ? Object.entries(value).map(([name, one]) => [`.${name}`, one] as const) : []);

/** `role=user|tool,name=*` */
function isFit(value: unknown, fits: string): boolean {
  return fits.split(',').every((one) => {
    const [path = '', values = ''] = one.split('=');
    const given = memberAt(value, path);
    return values.split('|').some((wanted) => (wanted === '*' ? given !== undefined && given !== null : String(given) === wanted));
  });
}
