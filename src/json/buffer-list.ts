/**
 * Bytes in the buffers that they arrived in. They are not joined: for a large prompt that would cost as much as most of
 * what is done with it.
 */
export class BufferList {
  readonly length: number;
  /** Offset at which each buffer begins. */
  readonly #starts: number[] = [];
  /** Index of the buffer that was read last; the next look-up is usually near it. */
  #current = 0;

  constructor(private readonly buffers: readonly Buffer[]) {
    let length = 0;
    for (const buffer of buffers) {
      this.#starts.push(length);
      length += buffer.length;
    }
    this.length = length;
  }

  /** All bytes in one buffer: a copy, unless there is only one buffer. */
  joined(): Buffer {
    return join(this.buffers, this.length);
  }

  /**
   * Frees the memory at once: none of the bytes may be read or written to a socket afterwards. If large bodies wait for
   * the garbage collector, V8 collects the whole heap after every 64 MB of them.
   */
  release(): void {
    for (const { buffer, byteLength } of this.buffers) if (buffer.byteLength === byteLength) (buffer as ArrayBuffer).transfer(0);
  }

  /** @returns the byte at `offset`; undefined outside of the list */
  at(offset: number): number | undefined {
    const index = this.#seek(offset);
    return this.buffers[index]?.[offset - this.#starts[index]!];
  }

  /** @returns the offset of the first `byte` at or after `from`; -1 where there is none */
  indexOf(byte: number, from: number): number {
    for (let index = this.#seek(from); index < this.buffers.length; index++) {
      const start = this.#starts[index]!;
      const found = this.buffers[index]!.indexOf(byte, Math.max(0, from - start));
      if (found >= 0) {
        this.#current = index;
        return start + found;
      }
    }
    return -1;
  }

  /** View of the bytes from `offset` to the end of their buffer; undefined at the end of the list. */
  rest(offset: number): Buffer | undefined {
    if (offset >= this.length) return undefined;
    const index = this.#seek(offset);
    return this.buffers[index]!.subarray(offset - this.#starts[index]!);
  }

  /** Views of the bytes from `from` to before `to`. */
  slice(from: number, to: number): Buffer[] {
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
