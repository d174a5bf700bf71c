import { argon2Sync, createSecretKey } from 'node:crypto';
import { DerivedSecrets } from '../../auth/derived-secrets.js';
import { systemClock } from '../../common/time/clock.js';
import { askedBy } from '../../database/askers-queue.js';
import { Passwords } from './passwords.js';

const withPepper = (pepper: string) => new Passwords(new DerivedSecrets(createSecretKey(Buffer.from(pepper))), systemClock);

/** A hash of the password that takes next to no time. */
function cheapHash(message: string): string {
  const secret = new DerivedSecrets(createSecretKey(Buffer.from('a pepper'))).derive('password');
  const made = argon2Sync('argon2id', { message, nonce: Buffer.alloc(16), memory: 64, passes: 3, parallelism: 1, tagLength: 32, secret });
  return `$argon2id$v=19$m=64,t=3,p=1$AAAAAAAAAAAAAAAAAAAAAA$${made.toString('base64').replace(/=+$/, '')}`;
}

describe('Passwords', () => {
  const passwords = withPepper('a pepper');

  it('knows a password by its hash, in whatever form its characters come', async () => {
    const hash = await passwords.hash('pässword ½ long');
    expect(await passwords.matches('pässword ½ long', hash)).toBe(true);
    expect(await passwords.matches('pa\u0308ssword ½ long', hash)).toBe(true);
    expect(await passwords.matches('password ½ long', hash)).toBe(false);
    expect(await passwords.hash('pässword ½ long')).not.toBe(hash);
  });

  it('knows none without the pepper, or where none was set', async () => {
    const hash = await passwords.hash('a long password');
    expect(await withPepper('another pepper').matches('a long password', hash)).toBe(false);
    for (const none of [undefined, null, '', 'a long password']) expect(await passwords.matches('a long password', none)).toBe(false);
  });

  it('reads the cost from the hash, so that it can be raised', async () => {
    expect(await passwords.matches('cheap', cheapHash('cheap'))).toBe(true);
  });

  it('refuses what is too short or too long, and more than can wait', async () => {
    for (const wrong of ['short', 'x'.repeat(257)]) await expect(passwords.hash(wrong)).rejects.toMatchObject({ code: 'invalid_request' });
    const hash = cheapHash('another');
    const all = await Promise.allSettled(Array.from({ length: 506 }, () => passwords.matches('x', hash)));
    expect(all.filter(({ status }) => status === 'rejected')).toHaveLength(506 - 502);
    expect(await passwords.matches('x', hash)).toBe(false);
  });

  it('compares for each client in turn, however much one of them asks', async () => {
    const hash = cheapHash('another');
    const order: string[] = [];
    const ask = (client: string) => askedBy(client, () => passwords.matches('x', hash)).then(() => order.push(client));
    await Promise.all([...Array.from({ length: 20 }, () => ask('much')), ask('little')]);
    expect(order.indexOf('little')).toBeLessThan(6);
  });
});
