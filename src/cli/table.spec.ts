import { printable, table } from './table.js';

describe('A table of the command line', () => {
  it('shows nothing of a name that moves the cursor, or turns the text behind it', () => {
    expect(printable('a\nb\u001b[2J')).toBe('a?b?[2J');
    expect(table(['name', 'id'], [['\u202eemca\u2066', 'acct_1']])).toBe('NAME    ID\n?emca?  acct_1');
  });

  it('keeps letters that are written from right to left', () => expect(printable('شركة')).toBe('شركة'));
});
