/** Bytes from which on a piece is kept as it is. */
const WHOLE = 8 * 1024;
/** Bytes of a block that smaller pieces are copied to: the first is small, and each is twice as large as the last. */
const FIRST_BLOCK = 1024;
const BLOCK = 64 * 1024;

/** Pieces that may be as small as they like. */
const FREE_PIECES = 10_000;

/**
 * Bytes that come in pieces of any size. Small pieces are copied together: a piece of one byte would otherwise take a
 * hundred bytes of memory itself, and keep the whole read of 64 KB that it came with.
 */
export class GatheredBytes {
  readonly #buffers: Buffer[] = [];
  #length = 0;
  #pieces = 0;
  #block: Buffer | undefined;
  #blockSize = FIRST_BLOCK;
  /** Bytes of the block that are in use. */
  #used = 0;

  get length(): number {
    return this.#length;
  }

  /** Whether the pieces have fewer bytes than `least` on average, after enough of them to tell. */
  crumbles(least: number): boolean {
    return this.#pieces > FREE_PIECES && this.#length < this.#pieces * least;
  }

  /** Must not be changed afterwards by the caller. */
  add(piece: Buffer): void {
    this.#pieces++;
    this.#length += piece.length;
    // What comes in one piece, as nearly all does, is not copied.
    if (piece.length >= WHOLE || this.#pieces === 1) {
      this.#closeBlock();
      this.#buffers.push(piece);
      return;
    }
    let from = 0;
    while (from < piece.length) {
      this.#block ??= Buffer.allocUnsafeSlow(this.#blockSize);
      const copied = piece.copy(this.#block, this.#used, from);
      from += copied;
      this.#used += copied;
      if (this.#used === this.#block.length) this.#closeBlock();
    }
  }

  /** @returns all bytes, in as many buffers as it takes; nothing may be added afterwards */
  end(): readonly Buffer[] {
    this.#closeBlock();
    return this.#buffers;
  }

  #closeBlock(): void {
    if (this.#used === 0) return;
    const block = this.#block!;
    // A block with little in it is kept for what comes, and only what is in it is copied out.
    if (this.#used < block.length / 2) this.#buffers.push(Buffer.from(block.subarray(0, this.#used)));
    else {
      this.#buffers.push(block.subarray(0, this.#used));
      this.#block = undefined;
      this.#blockSize = Math.min(2 * this.#blockSize, BLOCK);
    }
    this.#used = 0;
  }
}
