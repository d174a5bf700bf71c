import { createSecretKey } from 'node:crypto';
import { ApiKeyHasher } from '../../auth/api-key-hasher.js';
import { started } from '../../common/testing/started.js';
import { configSchema } from '../../config/config.schema.js';
import { ConfigService } from '../../config/config.service.js';
import { describeEngines } from '../../database/testing/describe-engines.js';
import { InvitationStore } from './invitation-store.js';

describeEngines('used invitations', (open) => {
  const database = started(open);

  it('are kept, the newest thousand of them', async () => {
    const used = Array.from({ length: 1_003 }, (_, n) => ({
      id: `inv_${`${n}`.padStart(4, '0')}`,
      digest: `${n}`.padStart(64, '0'),
      email: 'ann@example.com',
      role: 'operator' as const,
      created_at: n,
      expires_at: 0,
    }));
    for (let from = 0; from < used.length; from += 500)
      await database.db
        .insertInto('invitation')
        .values(used.slice(from, from + 500))
        .execute();
    const hasher = new ApiKeyHasher(createSecretKey(Buffer.alloc(32)));
    const store = new InvitationStore(database, hasher, new ConfigService(configSchema.parse({})));
    const { invitation } = await store.create({ email: 'ann@example.com', role: 'operator', accountId: undefined });
    const left = await database.db.selectFrom('invitation').select('id').orderBy('created_at').execute();
    expect([left.length, left[0]!.id, left.at(-1)!.id]).toEqual([1_001, 'inv_0003', invitation.id]);
  });
});
