import { started } from '../common/testing/started.js';
import { describeEngines } from '../database/testing/describe-engines.js';
import { writeUses } from './key-use.js';

describeEngines('The last use of keys', (open) => {
  const database = started(open);

  const stored = async () => {
    const rows = await database.db.selectFrom('key_use').selectAll().orderBy('key_id').execute();
    return rows.map(({ key_id, used_at }) => [key_id, Number(used_at)]);
  };

  it('is the latest of those that come together, and goes back for none that comes late', async () => {
    await writeUses(database, [
      { keyId: 'b', at: 5 },
      { keyId: 'a', at: 30 },
      { keyId: 'a', at: 20 },
    ]);
    expect(await stored()).toEqual([
      ['a', 30],
      ['b', 5],
    ]);
    await writeUses(database, [
      { keyId: 'a', at: 25 },
      { keyId: 'b', at: 6 },
    ]);
    expect(await stored()).toEqual([
      ['a', 30],
      ['b', 6],
    ]);
  });

  it('is written by gateways that have used the same keys, at the same time', async () => {
    const keys = Array.from({ length: 200 }, (_, nth) => `key-${nth}`);
    const write = (order: readonly string[], at: number) =>
      writeUses(
        database,
        order.map((keyId) => ({ keyId, at })),
      );
    await Promise.all(Array.from({ length: 8 }, (_, nth) => write(nth % 2 === 0 ? keys : keys.toReversed(), 100 + nth)));
    expect((await stored()).filter(([, at]) => at === 107)).toHaveLength(keys.length);
  });
});
