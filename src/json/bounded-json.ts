import { JsonScan } from './json-scan.js';

/**
 * Parses JSON that travels in texts of one body. It is scanned first, all of it together as one body more: see
 * `jsonLimits`.
 */
export class BoundedJson {
  readonly #scan = new JsonScan();
  #isFull = false;

  /**
   * @param json an object
   * @returns undefined from the first on that is not JSON, or with which all have more than a body may have
   */
  parse(json: Buffer): unknown {
    if (this.#isFull) return undefined;
    try {
      this.#scan.feed(json);
      return JSON.parse(json.toString());
    } catch {
      this.#isFull = true;
      return undefined;
    }
  }
}
