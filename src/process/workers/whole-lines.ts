import type { Readable } from 'node:stream';

/** Characters that wait for the end of their line. */
const MAX_LINE = 1024 * 1024;

/** Passes on what a process prints in whole lines: one pipe to many readers' terminals takes several writers' longer texts in pieces. */
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
