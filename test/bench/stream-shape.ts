/**
 * `flat`: all pieces in one write. `paced`: `paceMs` between two pieces. `timed`: the same, and each piece tells when
 * it was sent. `hold`: one piece, then silence.
 */
export type Mode = 'flat' | 'paced' | 'timed' | 'hold';

/** What a streamed request asks of the loopback provider. It travels in the prompt, which every gateway hands on. */
export interface StreamShape {
  readonly pieces: number;
  readonly paceMs: number;
  readonly mode: Mode;
}

/** Text of one piece. */
export const WORDS = ' token and some more text in one piece';

export function isMode(word: string | undefined): word is Mode {
  return word === 'flat' || word === 'paced' || word === 'timed' || word === 'hold';
}

export function wordsOf({ pieces, paceMs, mode }: StreamShape): string {
  return `[[${pieces} ${paceMs} ${mode}]] `;
}

/**
 * Nanoseconds of the monotonic clock, which is the same in every process of the machine, at which a timed piece was
 * sent.
 */
export const sentAt = /<(\d+)>/g;
