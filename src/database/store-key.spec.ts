import { storeKey } from './store-key.js';
import { describeEngines } from './testing/describe-engines.js';

describeEngines('a key of the store', (open) => {
  it('is made once, by whoever comes first, and is the same for all', async () => {
    const [one, other] = [await open(), await open()];
    const keys = await Promise.all([storeKey(one, 'one'), storeKey(other, 'one'), storeKey(one, 'one')]);
    const again = await storeKey(other, 'one');
    for (const key of [...keys, again]) expect([key.symmetricKeySize, key.equals(keys[0])]).toEqual([32, true]);
    expect((await storeKey(one, 'two')).equals(keys[0])).toBe(false);
  });
});
