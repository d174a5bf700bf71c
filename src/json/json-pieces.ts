/** Characters of JSON that are made at once, and of a text that are looked at. */
const PIECE = 16 * 1024;

/** An object or array that is being written. */
interface Open {
  readonly holder: object;
  /** Undefined for an array. */
  readonly names: readonly string[] | undefined;
  readonly count: number;
  next: number;
}

/**
 * What JSON.stringify makes of parsed JSON, some kilobytes at a time, so that it need not be in memory as a whole.
 * No piece ends between the two halves of a
 * character.
 * @param namesOf the names of an object's members, in the order in which they are written
 */
export function* jsonPieces(value: object, namesOf: (holder: object) => readonly string[] = Object.keys): Generator<string, void> {
  const open: Open[] = [];
  let json = '';
  const begin = (holder: object): void => {
    const names = Array.isArray(holder) ? undefined : namesOf(holder);
    json += names ? '{' : '[';
    const count = names?.length ?? (holder as readonly unknown[]).length;
    open.push({ holder, names, count, next: 0 });
  };
  begin(value);
  for (let last = open.at(-1); last; last = open.at(-1)) {
    if (json.length >= PIECE) {
      yield json;
      json = '';
    }
    if (last.next === last.count) {
      json += last.names ? '}' : ']';
      open.pop();
      continue;
    }
    if (last.next > 0) json += ',';
    const name = last.names?.[last.next] ?? last.next;
    last.next++;
    if (last.names) json += `${JSON.stringify(name)}:`;
    const member = (last.holder as Record<string | number, unknown>)[name];
    if (typeof member === 'string' && member.length > PIECE) {
      yield `${json}"`;
      yield* escapedPieces(textPieces(member));
      json = '"';
    } else if (typeof member === 'object' && member !== null) begin(member);
    else json += JSON.stringify(member);
  }
  yield json;
}

/** A text, some kilobytes at a time. */
export function* textPieces(text: string): Generator<string> {
  for (let at = 0; at < text.length; at += PIECE) yield text.slice(at, at + PIECE);
}

/** The content of a JSON string. Halves of a character that are apart would be written as escapes. */
function* escapedPieces(pieces: Iterable<string>): Generator<string> {
  let half = '';
  for (const piece of pieces) {
    const text = half + piece;
    half = /[\ud800-\udbff]$/.test(text) ? text.slice(-1) : '';
    yield escaped(half ? text.slice(0, -1) : text);
  }
  if (half) yield escaped(half);
}

function escaped(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}
