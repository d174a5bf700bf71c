import { sql } from 'kysely';
import { started } from '../common/testing/started.js';
import { askedBy } from './askers-queue.js';
import { describeEngines } from './testing/describe-engines.js';

describeEngines('callers that wait for a connection', (open) => {
  const database = started(open);

  it('have it in turn, by who asks, however much one of them asks', async () => {
    const turns: string[] = [];
    const ask = async (name: string) => {
      await sql`select 1`.execute(database.db);
      turns.push(name);
    };
    const all = database.engine === 'postgres' ? 10 : 1;
    const ends = Array.from({ length: all }, () => Promise.withResolvers<void>());
    const held = ends.map(({ promise }) => database.db.connection().execute(() => promise));
    await Promise.resolve();
    const asked = [
      ...['much 1', 'much 2', 'much 3'].map((name) => askedBy('much', () => ask(name))),
      askedBy('little', () => ask('little')),
      ask('gateway 1'),
      ask('gateway 2'),
    ];
    // All are served by one connection.
    ends[0]!.resolve();
    await Promise.all(asked);
    for (const { resolve } of ends) resolve();
    await Promise.all(held);
    expect(turns).toEqual(['much 1', 'little', 'gateway 1', 'much 2', 'gateway 2', 'much 3']);
  });
});
