/** Undefined where there is nothing to read. */
type Bytes = Buffer | undefined;

/**
 * Reads of files that never change. Whoever asks for the same file while somebody else reads it, or still has its bytes,
 * gets the same bytes: however many slow clients there are, a file is in memory once. It is forgotten with the last of
 * them.
 */
export class SharedReads {
  readonly #known = new Map<string, Promise<Bytes> | WeakRef<Buffer>>();

  of(name: string, read: () => Promise<Bytes>): Promise<Bytes> {
    const known = this.#known.get(name);
    if (known instanceof WeakRef) {
      const bytes = known.deref();
      if (bytes) return Promise.resolve(bytes);
    } else if (known) return known;
    const reading = read()
      .then((bytes) => {
        if (bytes) this.#known.set(name, new WeakRef(bytes));
        return bytes;
      })
      .finally(() => {
        if (this.#known.get(name) === reading) this.#known.delete(name);
      });
    this.#known.set(name, reading);
    return reading;
  }
}
