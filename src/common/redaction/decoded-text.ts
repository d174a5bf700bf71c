import { ownOf } from '../../wire/own-members.js';

/** A text with, for each of its characters and its end, where in the text that it was decoded from that begins. */
export interface DecodedText {
  readonly text: string;
  /** Absent where nothing has been decoded yet: each character begins at its own index. */
  readonly starts: readonly number[] | undefined;
}

/** One character in percent-encoding, or in an escape of JSON, JavaScript or HTML. */
const escape =
  /%([\da-f]{2})|\\u([\da-f]{4})|\\u\{([\da-f]{1,6})\}|\\x([\da-f]{2})|\\([0-3][0-7]{2})|\\(["'\\/nrtbf])|&#x0{0,8}([\da-f]{1,6});?|&#0{0,8}(\d{1,7});?|&(amp|lt|gt|quot|apos|plus|equals|sol|bsol|lowbar|hyphen|dash|num|percnt|period|colon|commat|nbsp);/gi;

const named: Readonly<Record<string, string>> = {
  amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", plus: '+', equals: '=', sol: '/', bsol: '\\', lowbar: '_', hyphen: '-', dash: '-', num: '#',
  percnt: '%', period: '.', colon: ':', commat: '@', nbsp: ' ',
}; // prettier-ignore
const escaped: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', b: '\b', f: '\f' };

/**
 * Decodes escapes, each into its character.
 * @param means tells whether somebody may have meant an escape of this character; other escapes stay as they are
 * @returns undefined where there is none
 */
export function decodeOnce({ text, starts }: DecodedText, means: (char: string) => boolean): DecodedText | undefined {
  let decoded = '';
  const from: number[] = [];
  let end = 0;
  const place = (index: number): number => (starts ? starts[index]! : index);
  const copy = (to: number): void => {
    for (let index = end; index < to; index++) from.push(place(index));
    decoded += text.slice(end, to);
  };
  for (const match of text.matchAll(escape)) {
    const char = charOf(match);
    if (char === undefined || !means(char)) continue;
    copy(match.index);
    // A character outside the basic plane has two units.
    for (let unit = 0; unit < char.length; unit++) from.push(place(match.index));
    decoded += char;
    end = match.index + match[0].length;
  }
  if (end === 0) return undefined;
  copy(text.length);
  from.push(place(text.length));
  return { text: decoded, starts: from };
}

function charOf([, percent, json, braced, hex, octal, simple, html, decimal, name]: RegExpMatchArray): string | undefined {
  if (simple !== undefined) return ownOf(escaped, simple) ?? simple;
  if (name !== undefined) return ownOf(named, name.toLowerCase());
  if (decimal !== undefined) return fromCode(Number(decimal));
  if (octal !== undefined) return fromCode(Number.parseInt(octal, 8));
  return fromCode(Number.parseInt((percent ?? json ?? braced ?? hex ?? html)!, 16));
}

function fromCode(code: number): string | undefined {
  return code <= 0x10ffff ? String.fromCodePoint(code) : undefined;
}
