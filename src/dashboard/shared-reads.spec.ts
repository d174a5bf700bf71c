import { SharedReads } from './shared-reads.js';

describe('SharedReads', () => {
  it('gives the same bytes to all who have them, or wait for them, at the same time', async () => {
    const reads = new SharedReads();
    let count = 0;
    const read = async () => Buffer.from(String(++count));
    const [one, other] = await Promise.all([reads.of('a', read), reads.of('a', read)]);
    expect(other).toBe(one);
    expect(await reads.of('a', read)).toBe(one);
    expect(String(await reads.of('b', read))).toBe('2');
  });

  it('asks again for what was not there, and for what could not be read', async () => {
    const reads = new SharedReads();
    expect(await reads.of('a', async () => undefined)).toBeUndefined();
    await expect(reads.of('a', async () => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
    expect(String(await reads.of('a', async () => Buffer.from('now')))).toBe('now');
  });
});
