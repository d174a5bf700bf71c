/** A member of at most one `IndexedSet`. */
export interface Placed {
  /** Where it stands; the set's own business. */
  place: number;
}

/**
 * A set of short-lived objects. V8's Set makes a new table every few dozen additions and removals, and the old table
 * still names all that stood in it: once tables are in the old generation, nothing that passes through dies young.
 */
export class IndexedSet<T extends Placed> {
  readonly #members: T[] = [];

  get size(): number {
    return this.#members.length;
  }

  add(member: T): void {
    if (this.has(member)) return;
    member.place = this.#members.push(member) - 1;
  }

  has(member: T): boolean {
    return this.#members[member.place] === member;
  }

  /** @returns whether it was there */
  delete(member: T): boolean {
    const { place } = member;
    if (this.#members[place] !== member) return false;
    const last = this.#members.pop()!;
    if (last !== member) {
      this.#members[place] = last;
      last.place = place;
    }
    member.place = -1;
    return true;
  }

  /** All as of now: what happens to one of them may take it away. */
  [Symbol.iterator](): IterableIterator<T> {
    return this.#members.slice().values();
  }
}
