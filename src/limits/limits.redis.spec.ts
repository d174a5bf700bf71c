import { started } from '../common/testing/started.js';
import { systemClock } from '../common/clock.js';
import { LeasedPlaces } from './leased-places.js';
import { LeasedRate } from './leased-rate.js';
import { LimitExchange } from './limit-exchange.js';
import { admit } from './testing/admit.js';
import { limitStoreLaws, SHORT_TTL } from './testing/limit-store-laws.js';
import { describeValkey, TemporaryValkey } from './testing/temporary-valkey.js';
import { ValkeyLimits } from './valkey-limits.js';

describeValkey('limits in Valkey', () => {
  const stores: ValkeyLimits[] = [];
  const valkey = started(() => TemporaryValkey.start());
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

  it('are one exact count of several processes', async () => {
    const exchanges = await Promise.all([open(), open()]).then((two) =>
      two.map((store) => new LimitExchange(store, { observe: () => {} }, systemClock)),
    );
    const rates = exchanges.map(
      (each) => new LeasedRate('requests', 'key/exact/live', { perMinute: 3, burstSeconds: 60 }, performance.now(), each, false),
    );
    for (const [process, remaining] of [
      [0, 2],
      [1, 1],
      [0, 0],
    ] as const) {
      expect(await admit(rates[process]!, 1)).toBe(true);
      expect(rates[process]!.state(performance.now()).remaining).toBe(remaining);
    }
    for (const rate of rates) expect(await admit(rate, 1)).toBe(false);
    const [one, two] = exchanges.map((each) => new LeasedPlaces(1, 'key/exact/live', each, systemClock)) as [LeasedPlaces, LeasedPlaces];
    expect([await admit(one, 1), await admit(two, 1)]).toEqual([true, false]);
    one.giveBack();
    for (let tries = 0; !(await admit(two, 1)); tries++) {
      expect(tries).toBeLessThan(1_000);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    expect(await admit(one, 1)).toBe(false);
  });

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
