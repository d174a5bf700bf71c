/** Bytes in the pieces that they arrived in. Nobody joins them: for a large prompt that costs as much as most of what is done with it. */
export class BufferList {
  readonly length: number;
  /** Where each piece begins. */
  readonly #starts: number[] = [];
  /** The piece that was looked at last; what comes next is near. */
  #current = 0;

  constructor(private readonly pieces: readonly Buffer[]) {
    let length = 0;
    for (const piece of pieces) {
      this.#starts.push(length);
      length += piece.length;
    }
    this.length = length;
  }

  /** All in one: a copy, unless there is but one piece. */
  joined(): Buffer {
    return join(this.pieces, this.length);
  }

  /**
   * Gives the memory back at once; nobody may look at any of the bytes again, nor write them to a socket. Left to a collection, large bodies make V8
   * collect the whole heap every 64 MB of them.
   */
  release(): void {
    for (const { buffer, byteLength } of this.pieces) if (buffer.byteLength === byteLength) (buffer as ArrayBuffer).transfer(0);
  }

  /** @returns the byte at `offset`; undefined outside */
  at(offset: number): number | undefined {
    const piece = this.#seek(offset);
    return this.pieces[piece]?.[offset - this.#starts[piece]!];
  }

  /** @returns where `byte` is first found from `from` on; -1 where nowhere */
  indexOf(byte: number, from: number): number {
    for (let piece = this.#seek(from); piece < this.pieces.length; piece++) {
      const start = this.#starts[piece]!;
      const found = this.pieces[piece]!.indexOf(byte, Math.max(0, from - start));
      if (found >= 0) {
        this.#current = piece;
        return start + found;
      }
    }
    return -1;
  }

  /** View of the bytes from `offset` to the end of their piece; undefined at the end of all. */
  rest(offset: number): Buffer | undefined {
    if (offset >= this.length) return undefined;
    const piece = this.#seek(offset);
    return this.pieces[piece]!.subarray(offset - this.#starts[piece]!);
  }

  /** Views of the bytes from `from` to before `to`. */
  slice(from: number, to: number): Buffer[] {
    const parts: Buffer[] = [];
    for (let piece = this.#seek(from); piece < this.pieces.length && this.#starts[piece]! < to; piece++) {
      const start = this.#starts[piece]!;
      const part = this.pieces[piece]!.subarray(Math.max(0, from - start), to - start);
      if (part.length > 0) parts.push(part);
    }
    return parts;
  }

  /** @returns the piece that `offset` lies in */
  #seek(offset: number): number {
    let piece = this.#current;
    while (piece > 0 && this.#starts[piece]! > offset) piece--;
    while (piece + 1 < this.pieces.length && this.#starts[piece + 1]! <= offset) piece++;
    return (this.#current = piece);
  }
}

export function join(pieces: readonly Buffer[], length?: number): Buffer {
  return pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces, length);
}
