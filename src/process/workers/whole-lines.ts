import type { Readable } from 'node:stream';

/** Most characters that are kept back until their line ends. */
const MAX_LINE = 1024 * 1024;

/**
 * Passes on what a process prints in whole lines, so that the lines of several processes that share one output do not
 * mix.
 */
export function passOnLines(from: Readable, write: (lines: string) => void): void {
  let rest = '';
  from.setEncoding('utf8');
  from.on('data', (text: string) => {
    rest += text;
    const end = rest.length > MAX_LINE ? rest.length : rest.lastIndexOf('\n') + 1;
    if (end === 0) return;
    write(rest.slice(0, end));
    rest = rest.slice(end);
  });
  from.on('end', () => {
    if (rest) write(`${rest}\n`);
  });
}
