import { jest } from '@jest/globals';
import { Readable } from 'node:stream';
import fc from 'fast-check';
import { AccessToken, bearer, type FetchedToken } from './access-token.js';
import { EntrySecrets, onFetchedSecret } from './entry-secrets.js';

const MINUTE = 60_000;

describe('AccessToken', () => {
  const hidden: string[] = [];
  let waiting: PromiseWithResolvers<FetchedToken>[] = [];
  let token: AccessToken;
  const give = async (index: number, minutes: number, extra: Partial<FetchedToken> = {}) => {
    waiting[index]!.resolve({ token: `token-${index}`, expiresAt: Date.now() + minutes * MINUTE, ...extra });
    await settled();
  };
  const settled = () => jest.advanceTimersByTimeAsync(0);
  const asked = (): string => (token.get() as FetchedToken).token;

  beforeEach(() => {
    jest.useFakeTimers();
    hidden.length = 0;
    waiting = [];
    token = new AccessToken(
      () => {
        const one = Promise.withResolvers<FetchedToken>();
        waiting.push(one);
        return one.promise;
      },
      (secret) => hidden.push(secret),
    );
  });
  afterEach(() => void jest.useRealTimers());

  it('is fetched once for all that ask at the same time, and hidden before anybody has it', async () => {
    const all = Promise.all(Array.from({ length: 20 }, async () => [(await token.get()).token, [...hidden]]));
    await give(0, 60);
    expect(await all).toEqual(Array.from({ length: 20 }, () => ['token-0', ['token-0']]));
    expect(asked()).toBe('token-0');
    expect(waiting).toHaveLength(1);
  });

  it('is fetched anew before its end, while the old one is used', async () => {
    void token.get();
    await give(0, 60);
    jest.setSystemTime(Date.now() + 55 * MINUTE);
    expect([asked(), waiting.length]).toEqual(['token-0', 1]);
    jest.setSystemTime(Date.now() + 1 * MINUTE);
    expect([asked(), asked(), waiting.length]).toEqual(['token-0', 'token-0', 2]);
    await give(1, 60);
    expect([asked(), waiting.length]).toEqual(['token-1', 2]);
  });

  it('is waited for after its end', async () => {
    void token.get();
    await give(0, 60);
    jest.setSystemTime(Date.now() + 60 * MINUTE);
    const next = token.get();
    expect(next).toBeInstanceOf(Promise);
    await give(1, 60);
    expect((await next).token).toBe('token-1');
  });

  it('of a short life is used for half of it before it is replaced', async () => {
    void token.get();
    await give(0, 1);
    jest.setSystemTime(Date.now() + 29_000);
    expect([asked(), waiting.length]).toEqual(['token-0', 1]);
    jest.setSystemTime(Date.now() + 2_000);
    expect([asked(), waiting.length]).toEqual(['token-0', 2]);
  });

  it('that cannot be replaced is used to its end, and asked for again every 30 s', async () => {
    void token.get();
    await give(0, 60);
    jest.setSystemTime(Date.now() + 57 * MINUTE);
    expect([asked(), waiting.length]).toEqual(['token-0', 2]);
    waiting[1]!.reject(new Error('no answer'));
    await settled();
    expect([asked(), waiting.length]).toEqual(['token-0', 2]);
    jest.setSystemTime(Date.now() + 30_000);
    expect([asked(), waiting.length]).toEqual(['token-0', 3]);
  });

  it('that is refused is an error for all that wait, and is asked for again by the next', async () => {
    const all = Promise.allSettled([token.get(), token.get()]);
    waiting[0]!.reject(new Error('no such account'));
    await settled();
    expect((await all).map((one) => (one as PromiseRejectedResult).reason as Error)).toMatchObject([
      { message: 'no such account' },
      { message: 'no such account' },
    ]);
    const next = token.get();
    await give(1, 60);
    expect((await next).token).toBe('token-1');
  });

  it('is given up where fetching it does not end', async () => {
    const never = Promise.allSettled([token.get()]);
    await jest.advanceTimersByTimeAsync(60_000);
    expect(await never).toMatchObject([{ reason: { message: 'it has not ended within 60 s' } }]);
  });

  it('signs with its headers, at once where it is there; what the request says itself stays', async () => {
    const sign = bearer(token);
    const body = { body: [], pieces: () => Readable.from([]) };
    const request = { method: 'GET', origin: 'http://127.0.0.1', path: '/', headers: { 'x-a': '1' }, ...body, signal: undefined };
    const first = sign(request);
    await give(0, 60, { headers: { 'x-goog-user-project': 'p' } });
    const signed = { authorization: 'Bearer token-0', 'x-goog-user-project': 'p', 'x-a': '1' };
    expect(await first).toEqual(signed);
    expect(sign(request)).toEqual(signed);
    expect(sign({ ...request, headers: { authorization: 'mine' } })).toMatchObject({ authorization: 'mine' });
  });

  it('is never one that has ended, whenever it is asked for and however long each lives', async () => {
    const step = fc.record({ after: fc.nat(10 * MINUTE), life: fc.integer({ min: 1, max: 90 }) });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        let [fetches, running, most] = [0, 0, 0];
        const ends = new Map<string, number>();
        let life = 1;
        const one = new AccessToken(
          async () => {
            most = Math.max(most, ++running);
            await Promise.resolve();
            running--;
            const name = String(fetches++);
            ends.set(name, Date.now() + life * MINUTE);
            return { token: name, expiresAt: ends.get(name)! };
          },
          () => undefined,
        );
        for (const { after, life: lives } of steps) {
          jest.setSystemTime(Date.now() + after);
          life = lives;
          const [got, again] = await Promise.all([one.get(), one.get()]);
          expect(ends.get(got.token)!).toBeGreaterThan(Date.now());
          expect(again).toBe(got);
          await settled();
        }
        expect(most).toBeLessThanOrEqual(1);
      }),
    );
  });
});

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
