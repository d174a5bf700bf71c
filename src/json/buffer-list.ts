/**
 * Bytes in the buffers that they arrived in. They are not joined: for a large prompt that would cost as much as most of
 * what is done with it.
 */
export class BufferList {
  readonly length: number;
  /** Offset at which each buffer begins. */
  readonly #starts: readonly number[];
  /** Index of the buffer that was read last; the next look-up is usually near it. */
  #current = 0;
  #released = false;

  constructor(private readonly buffers: readonly Buffer[]) {
    let length = 0;
    this.#starts = buffers.map((buffer) => (length += buffer.length) - buffer.length);
    this.length = length;
  }

  [Symbol.iterator](): Iterator<Buffer> {
    return this.buffers[Symbol.iterator]();
  }

  /**
   * Frees the memory at once: none of the bytes may be read or written to a socket afterwards. If large bodies wait for
   * the garbage collector, V8 collects the whole heap after every 64 MB of them.
   */
  release(): void {
    this.#released = true;
    for (const { buffer, byteLength } of this.buffers) if (buffer.byteLength === byteLength) (buffer as ArrayBuffer).transfer(0);
  }

  get released(): boolean {
    return this.#released;
  }

  /** @returns the byte at `offset`; undefined outside of the list */
  at(offset: number): number | undefined {
    const index = this.#seek(offset);
    return this.buffers[index]?.[offset - this.#starts[index]!];
  }

  /** Views of the bytes from `from` to before `to`. */
  slice(from: number, to: number): readonly Buffer[] {
    if (from === 0 && to === this.length) return this.buffers;
    const parts: Buffer[] = [];
    for (let index = this.#seek(from); index < this.buffers.length && this.#starts[index]! < to; index++) {
      const start = this.#starts[index]!;
      const part = this.buffers[index]!.subarray(Math.max(0, from - start), to - start);
      if (part.length > 0) parts.push(part);
    }
    return parts;
  }

  /** @returns the index of the buffer that contains `offset` */
  #seek(offset: number): number {
    let index = this.#current;
    while (index > 0 && this.#starts[index]! > offset) index--;
    while (index + 1 < this.buffers.length && this.#starts[index + 1]! <= offset) index++;
    return (this.#current = index);
  }
}

export function join(buffers: readonly Buffer[], length?: number): Buffer {
  return buffers.length === 1 ? buffers[0]! : Buffer.concat(buffers, length);
}
