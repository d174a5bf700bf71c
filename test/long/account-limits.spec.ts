import { join } from 'node:path';
import { sql } from 'kysely';
import { started } from '../../src/common/testing/started.js';
import { AccountStore } from '../../src/auth/account-store.js';
import { ApiKeyHasher } from '../../src/auth/api-key-hasher.js';
import { ApiKeyStore } from '../../src/auth/api-key-store.js';
import { loadPepper } from '../../src/auth/pepper.js';
import { configSchema } from '../../src/config/config.schema.js';
import { ConfigService } from '../../src/config/config.service.js';
import { openDatabase } from '../../src/database/open-database.js';
import { GatewayProgram } from '../support/gateway-program.js';

/** MB of the heap's old generation, of which a gateway with as many models takes 70, and all rules 64. */
const HEAP = 256;

const models = Object.fromEntries(
  Array.from({ length: 1_000 }, (_, n) => [`model-${n}`, { context_length: 8_000, max_tokens: 100 }] as const),
);
const settings = { providers: { many: { base_url: 'http://127.0.0.1:9/v1', free: true, models } } };

/** As long as they may be, of patterns that were made to be slow. */
const maximalRules = (kind: string) => {
  const list = Array.from({ length: 200 }, (_, n) => `${'*m'.repeat(125)}${kind}${n}`.slice(-256));
  const allowDeny = { allow: ['*', ...list.slice(1)], deny: list };
  return { models: allowDeny, providers: allowDeny };
};

describe('accounts with all that they may have', () => {
  const program = started(() => GatewayProgram.build(), 'dispose');

  it('end no gateway: at each of their limits it starts again within its heap, and answers every key', async () => {
    const flags = [`--max-old-space-size=${HEAP}`];
    const first = await program.start(settings, flags);
    const { cwd } = first.process;
    first.process.signal('SIGTERM');
    await first.process.exited;

    const config = configSchema.parse({ store: { data_dir: join(cwd, 'data') } });
    const database = await openDatabase(config.store);
    const { db } = database;
    const keys = new ApiKeyStore(database, new ApiKeyHasher(await loadPepper(config, database)), new ConfigService(config));
    const { id: accountId } = await db.selectFrom('account').select('id').where('kind', '=', 'customer').executeTakeFirstOrThrow();
    const fill = async (id: string) => {
      for (const made: string[] = []; ;)
        try {
          made.push((await keys.create({ accountId: id, environment: 'live', rules: maximalRules(`${made.length}-`) })).key);
        } catch (error) {
          return { made, refused: (error as Error).message };
        }
    };
    const { made, refused } = await fill(accountId);
    expect(refused).toContain('limits.rules_per_account');
    expect(made.length).toBeGreaterThan(30);
    // Other accounts, until there is no room for rules.
    const accounts = new AccountStore(database);
    for (let n = 0, full = false; !full; n++) {
      const others = await fill((await accounts.create(`Customer ${n}`)).id);
      full = others.refused.includes('limits.rules_total');
      made.push(...others.made.slice(0, 1));
    }
    expect(made.length).toBeGreaterThan(37);
    // Others to the limit, and what was made and revoked before: a hundred megabytes of rules.
    const row = (n: number, more: object) => ({
      id: `key_more_${n}`,
      account_id: accountId,
      environment: 'live' as const,
      digest: n.toString(16).padStart(64, '0'),
      pepper_version: 1,
      label: 'x'.repeat(200),
      display: 'x',
      created_at: 1,
      version: 1_000_000 + n,
      ...more,
    });
    await sql`update counter set value = 2000000 where name = 'api_key'`.execute(db);
    const rules = JSON.stringify(maximalRules('revoked-'));
    const rows = [
      ...Array.from({ length: config.limits.keys_per_account - made.length - 2 }, (_, n) => row(n, {})),
      ...Array.from({ length: 500 }, (_, n) => row(20_000 + n, { revoked_at: 2, rules })),
    ];
    for (let at = 0; at < rows.length; at += 100)
      await db
        .insertInto('api_key')
        .values(rows.slice(at, at + 100))
        .execute();
    const projects = Array.from({ length: config.limits.projects_per_account }, (_, n) => ({
      id: `proj_more_${n}`,
      account_id: accountId,
      name: `${n}${'x'.repeat(190)}`,
      created_at: 1,
      version: 1_100_000 + n,
    }));
    const tokens = Array.from({ length: config.limits.tokens_per_account }, (_, n) => {
      const { label, digest, display, pepper_version, created_at } = row(n, {});
      const of = { role: 'owner' as const, account_id: accountId, version: n + 1 };
      return { ...of, id: `tok_more_${n}`, label, digest, display, pepper_version, created_at };
    });
    for (let at = 0; at < Math.max(projects.length, tokens.length); at += 100) {
      await db
        .insertInto('project')
        .values(projects.slice(at, at + 100))
        .execute();
      await db
        .insertInto('admin_token')
        .values(tokens.slice(at, at + 100))
        .execute();
    }
    await sql`update counter set value = 2000000 where name = 'admin_token'`.execute(db);
    await database.close();

    const again = program.startIn(cwd, flags);
    const baseURL = await again.listening();
    const list = async (key: string) => {
      const answer = await fetch(`${baseURL}/models`, { headers: { authorization: `Bearer ${key}` } });
      return [answer.status, ((await answer.json()) as { data: unknown[] }).data.length];
    };
    for (const key of [...made, ...made]) expect(await list(key)).toEqual([200, 1_021]);
    again.signal('SIGTERM');
    expect(await again.exited).toMatchObject({ code: 0 });
  });
});
