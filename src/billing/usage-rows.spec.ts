import { started } from '../common/testing/started.js';
import { isConstraintViolation } from '../database/store-error.js';
import { describeEngines } from '../database/testing/describe-engines.js';

describeEngines('What the store takes as the charge of a request', (open) => {
  const database = started(open);
  let count = 0;

  beforeAll(async () => {
    const { db } = database;
    await db.insertInto('account').values({ id: 'account', name: 'account', kind: 'customer', created_at: 1 }).execute();
    await db.insertInto('balance').values({ account_id: 'account', environment: 'live', kind: 'customer', posted: 0, reserved: 0 }).execute(); // prettier-ignore
    const key = { id: 'key', account_id: 'account', environment: 'live', label: '', display: '', created_at: 1 } as const;
    await db
      .insertInto('api_key')
      .values({ ...key, digest: 'd'.repeat(64), pepper_version: 1, version: 1 })
      .execute();
  });

  /** @returns whether the row was rejected, in nano-credits at one a token */
  async function rejects(hold: number, amount: number, more: object = {}): Promise<boolean> {
    const row = {
      request_id: `request-${count++}`,
      account_id: 'account',
      environment: 'live' as const,
      key_id: 'key',
      operation: 'chat',
      model: 'model',
      provider: 'provider',
      price_prompt: 1_000,
      price_completion: 1_000,
      prompt_tokens: 0,
      completion_tokens: amount,
      hold,
      amount,
      uncollected: 0,
      outcome: 'completed',
      estimated: 0,
      created_at: 1,
      ...more,
    };
    const inserted = database.db.insertInto('usage').values(row).execute();
    return isConstraintViolation(await inserted.catch((error: unknown) => error));
  }

  it('is at most what was held and collected, of a key that is there', async () => {
    expect(await rejects(8, 8)).toBe(false);
    expect(await rejects(7, 8)).toBe(true);
    expect(await rejects(7, 8, { collected: 0 })).toBe(true);
    expect(await rejects(7, 8, { collected: 1 })).toBe(false);
    expect(await rejects(9, 8, { collected: -1 })).toBe(true);
    expect(await rejects(8, 8, { key_id: 'nobody' })).toBe(true);
  });
});
