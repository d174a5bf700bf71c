/** The inside of a JSON string literal, as RFC 8259, 7 allows it. */
const literal = /(?:[ !#-[\]-\uffff]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*/y;

/** Where the inside of a string literal ends that begins at `from`. */
export function literalEnd(text: string, from: number): number {
  literal.lastIndex = from;
  literal.test(text);
  return literal.lastIndex;
}

/**
 * @param literals the insides of one or more, joined; they may contain control characters, which JSON forbids
 * @returns undefined where one is
 */
export function checkedValueOf(literals: string): string | undefined {
  try {
    // Half of what a search for them takes.
    return JSON.parse(`"${literals}"`) as string;
  } catch {
    return undefined;
  }
}
