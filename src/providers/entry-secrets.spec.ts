import { EntrySecrets, onFetchedSecret } from './entry-secrets.js';

describe('EntrySecrets', () => {
  it('hides what the entry says, and the latest eight that were fetched', () => {
    const secrets = new EntrySecrets(['sk-configured']);
    const tokens = Array.from({ length: 9 }, (_, n) => `token-${n}-`.padEnd(20, String(n)));
    for (const token of [...tokens, tokens[8]!]) secrets.hide(token);
    const shown = [...tokens, 'sk-configured'].filter((secret) => secrets.redact(`no ${secret}`) !== 'no [redacted]');
    expect(shown).toEqual([tokens[0]]);
  });

  it.each([
    ['abc', 'no abc in abcd', 'no abc in abcd'],
    ['abcd', 'no abcd, part abc', 'no [redacted], part abc'],
    ['abcdefghij', 'no part bcdefghi', 'no part [redacted]'],
  ])('hides %s as its length allows', (secret, text, hidden) => {
    const secrets = new EntrySecrets([]);
    secrets.hide(secret);
    expect(secrets.redact(text)).toBe(hidden);
  });

  it('tells each once, and takes texts alone', () => {
    const told: string[] = [];
    onFetchedSecret((secret) => told.push(secret));
    const secrets = new EntrySecrets(['configured']);
    for (const secret of ['fetched', 'fetched', 'configured']) secrets.hide(secret);
    expect(told).toEqual(['fetched']);
    expect(() => secrets.hide(3 as unknown as string)).toThrow('hide() takes a text');
  });
});
