/** The inside of a JSON string literal, as RFC 8259, 7 allows it. */
const literal = /(?:[ !#-[\]-\uffff]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*/y;

/** Where the inside of a string literal ends that begins at `from`. */
export function literalEnd(text: string, from: number): number {
  literal.lastIndex = from;
  literal.test(text);
  return literal.lastIndex;
}

/** @param literals the insides of one or more, joined */
export function valueOf(literals: string): string {
  return literals.includes('\\') ? (JSON.parse(`"${literals}"`) as string) : literals;
}

/**
 * @param literals as of `valueOf`, but for control characters, which none may contain as they are
 * @returns undefined where one does
 */
export function checkedValueOf(literals: string): string | undefined {
  try {
    // Half of what a search for them takes.
    return JSON.parse(`"${literals}"`) as string;
  } catch {
    return undefined;
  }
}
