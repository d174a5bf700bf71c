/** A text whose quotations are replaced by single marks, so that it can be cut at commas that stand outside of them. */
export class QuotedText {
  readonly text: string;
  readonly #quotations: string[] = [];

  constructor(text: string) {
    this.text = text.replaceAll(PRIVATE, ' ').replaceAll(QUOTATION, (quotation) => `\uE000${this.#quotations.push(quotation) - 1}\uE001`);
  }

  /** Puts the quotations back. */
  restore(part: string): string {
    return part.replaceAll(ANY_MARK, (_, index: string) => this.#quotations[Number(index)]!);
  }

  /** Puts what is quoted back, without its quotation marks. */
  plain(part: string): string {
    return part.replaceAll(ANY_MARK, (_, index: string) => unquoted(this.#quotations[Number(index)]!));
  }
}

/** Matches one quotation of a QuotedText. */
export const MARK = '\\uE000\\d+\\uE001';

const ANY_MARK = /\uE000(\d+)\uE001/g;
const PRIVATE = /[\uE000\uE001]/g;
/** An apostrophe inside of a word begins no quotation. */
const QUOTATION = /```[^`]+```|`[^`\n]+`|"[^"\n]+"|“[^”\n]+”|(?<![\p{L}\p{N}])'[^'\n]+'(?![\p{L}\p{N}])/gu;

function unquoted(quotation: string): string {
  if (!quotation.startsWith('```')) return quotation.slice(1, -1);
  return quotation
    .slice(3, -3)
    .replace(/^[\w-]*\n/, '')
    .trimEnd();
}
