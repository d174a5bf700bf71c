/** A possible member of one `IndexedSet` at a time. */
export interface Indexed {
  /** Its index in the set, which the set alone reads and writes. */
  index: number;
}

/**
 * A set of short-lived objects, kept as an array in which each member knows its index. V8's Set makes a new table every
 * few dozen additions and removals, and the old table still refers to all former members: once tables are in the old
 * generation, objects that pass through the set no longer die young.
 */
export class IndexedSet<T extends Indexed> {
  readonly #members: T[] = [];

  get size(): number {
    return this.#members.length;
  }

  add(member: T): void {
    if (this.has(member)) return;
    member.index = this.#members.push(member) - 1;
  }

  has(member: T): boolean {
    // V8 looks a negative index up as a name, which takes 0.3 microseconds (measured).
    return member.index >= 0 && this.#members[member.index] === member;
  }

  /**
   * Removes a member.
   * @returns whether it was in the set
   */
  delete(member: T): boolean {
    if (!this.has(member)) return false;
    const { index } = member;
    const last = this.#members.pop()!;
    if (last !== member) {
      this.#members[index] = last;
      last.index = index;
    }
    member.index = -1;
    return true;
  }

  /** Iterates over the members as of now, because what happens to one of them may remove it. */
  [Symbol.iterator](): IterableIterator<T> {
    return this.#members.slice().values();
  }
}
