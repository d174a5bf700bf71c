import { limitStoreLaws, SHORT_TTL } from './testing/limit-store-laws.js';
import { describeValkey, TemporaryValkey } from './testing/temporary-valkey.js';
import { ValkeyLimits } from './valkey-limits.js';

describeValkey('limits in Valkey', () => {
  const stores: ValkeyLimits[] = [];
  let valkey: TemporaryValkey;
  beforeAll(async () => {
    valkey = await TemporaryValkey.start();
  });
  afterAll(async () => {
    await Promise.all(stores.map((store) => store.close()));
    await valkey.stop();
  });

  const open = async () => {
    const store = await ValkeyLimits.open(valkey.url, SHORT_TTL);
    stores.push(store);
    return store;
  };

  limitStoreLaws(open);

  it('fail at once while the server is away, and answer again when it is back', async () => {
    const store = await open();
    const ask = {
      subject: 'key/away/live',
      kind: 'requests' as const,
      rate: { perMinute: 60, burstSeconds: 10 },
      need: 1,
      want: 0,
      back: 0,
    };
    expect((await store.buckets([ask]))[0]!.granted).toBe(1);
    await valkey.halt();
    await expect(store.buckets([ask])).rejects.toThrow(/enableOfflineQueue|closed|max retries/);
    await valkey.resume();
    for (let tries = 0; ; tries++) {
      try {
        expect((await store.buckets([ask]))[0]!.granted).toBe(1);
        break;
      } catch (error) {
        if (tries > 1_000) throw error;
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    }
  });
});
