import { jsonLimits, refusedJson } from './json-limits.js';

/** Bytes of a run of elements. */
const RUN = 32 * 1024;

/**
 * Where a large body can be parsed piece by piece: it groups the elements of the lists that are fields into runs, and
 * refuses a field or an element that is too large to be parsed at once.
 */
export class JsonRuns {
  /**
   * Begin and end of each run of whole elements, without the comma behind it. Elements that are not in one have fewer
   * than `RUN` bytes together, or are the last of their list.
   */
  readonly offsets: number[] = [];
  /** Offset at which the open run begins; -1 outside of a list that is a field. */
  #run = -1;
  /** Offset of the open field, or of the open element of the list that it is. */
  #piece = 0;
  /** Bytes of the long strings in it. */
  #longBytes = 0;

  beginField(at: number): void {
    this.#piece = at;
  }

  beginList(at: number): void {
    this.#run = at;
    this.#piece = at;
  }

  endList(): void {
    this.#run = -1;
  }

  /** @param bytes of a long string; below 0 where it was the name of a member after all */
  addLong(bytes: number): void {
    this.#longBytes += bytes;
  }

  /** @throws ApiError 400 invalid_request where the element is too large */
  endElement(comma: number): void {
    if (this.#run < 0) return;
    this.endPiece(comma);
    if (comma - this.#run < RUN) return;
    this.offsets.push(this.#run, comma);
    this.#run = comma + 1;
  }

  /** @throws ApiError 400 invalid_request where the field or element that ends is too large */
  endPiece(at: number): void {
    if (at - this.#piece - this.#longBytes > jsonLimits.piece)
      throw refusedJson(
        `A field of the request body, or an element of a list in it, has more than ${jsonLimits.piece} bytes beside texts of 1,024 bytes or more.`,
      );
    this.#piece = at;
    this.#longBytes = 0;
  }
}
