import { started } from '../../common/testing/started.js';
import { systemClock } from '../../common/time/clock.js';
import { requestIdAt } from '../../common/testing/request-id-at.js';
import { configSchema } from '../../config/config.schema.js';
import type { ConfigService } from '../../config/config.service.js';
import { describeEngines } from '../../database/testing/describe-engines.js';
import { RecordSweep } from '../record-sweep.js';
import { AuditLog } from './audit-log.js';

const DAY = 86_400_000;

describeEngines('lines of the audit log', (open) => {
  const database = started(open);
  beforeEach(async () => {
    await database.db.deleteFrom('audit').execute();
  });

  const line = (age: number) => ({
    id: requestIdAt(Date.now() - age),
    created_at: Date.now() - age,
    actor_kind: 'cli' as const,
    actor: 'root',
    action: 'keys revoke',
    subject: 'key',
    fields: '[]',
  });
  async function swept(observability: object): Promise<number> {
    const sweep = new RecordSweep(database, { current: configSchema.parse({ observability }) } as ConfigService, systemClock);
    await sweep.sweep();
    sweep.onApplicationShutdown();
    return (await database.db.selectFrom('audit').select('id').execute()).length;
  }

  it('are kept for ever unless a setting says for how long', async () => {
    await database.db
      .insertInto('audit')
      .values([line(9_000 * DAY), line(11 * DAY), line(9 * DAY), line(0)])
      .execute();
    expect(await swept({ request_retention: 1 })).toBe(4);
    expect(await swept({ audit_retention: 10 })).toBe(2);
    const { data } = await new AuditLog(database).page(undefined, { limit: 10 });
    expect(data.map(({ createdAt }) => Date.now() - createdAt < 10 * DAY)).toEqual([true, true]);
  });

  it('take used invitations along', async () => {
    const invitation = (n: number, age: number, expires_at: number) => ({
      id: `invitation ${n}`,
      digest: `${n}`.repeat(64),
      email: 'ann@example.com',
      role: 'operator' as const,
      created_at: Date.now() - age,
      expires_at,
    });
    const rows = [invitation(1, 11 * DAY, 0), invitation(2, 9 * DAY, 0), invitation(3, 11 * DAY, Date.now() + DAY)];
    await database.db.insertInto('invitation').values(rows).execute();
    const kept = async () => (await database.db.selectFrom('invitation').select('id').orderBy('id').execute()).map(({ id }) => id);
    await swept({});
    expect(await kept()).toHaveLength(3);
    await swept({ audit_retention: 10 });
    expect(await kept()).toEqual(['invitation 2', 'invitation 3']);
  });

  it('are deleted in several steps where they are many', async () => {
    const old = Array.from({ length: 2_300 }, () => line(11 * DAY));
    for (let from = 0; from < old.length; from += 500)
      await database.db
        .insertInto('audit')
        .values(old.slice(from, from + 500))
        .execute();
    await database.db.insertInto('audit').values(line(0)).execute();
    expect(await swept({ audit_retention: 10 })).toBe(1);
  });
});
