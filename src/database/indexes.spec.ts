import { CompiledQuery, sql } from 'kysely';
import { started } from '../common/testing/started.js';
import { describeEngines } from './testing/describe-engines.js';

describeEngines('the schema', (open) => {
  const database = started(open);

  it('has no index beside its keys that no query needs: every request pays for those of its tables', async () => {
    const { rows } =
      database.engine === 'sqlite'
        ? await sql<{ name: string }>`select name from sqlite_master where type = 'index' and sql is not null order by name`.execute(
            database.db,
          )
        : await sql<{ name: string }>`select indexname as name from pg_indexes where schemaname = 'public' and
            indexname not in (select conname from pg_constraint) order by indexname collate "C"`.execute(database.db);
    expect(rows.map(({ name }) => name).filter((name) => !name.startsWith('kysely'))).toEqual([
      'account_time',
      'admin_token_account',
      'admin_token_valid',
      'api_key_account',
      'api_key_time',
      'api_key_valid',
      'audit_account',
      'balance_recall',
      'budget_recall',
      'budget_share_budget',
      'idempotency_key_kept',
      'idempotency_key_time',
      'inflight_lease',
      'invitation_account',
      'lease_account',
      'membership_person',
      'person_time',
      'project_open',
      'project_time',
      'project_version',
      'request_record_client',
      'session_person',
      'stored_response_account',
      'stored_response_running',
      ...(database.engine === 'sqlite' ? ['stored_space_bytes'] : []),
      'transfer_credit',
      'transfer_debit',
      'transfer_time',
      'usage_account',
      'usage_client',
      'webhook_delivery_due',
      'webhook_delivery_waiting',
      'webhook_endpoint_person',
    ]);
  });

  it('finds the latest records of an account without sorting all of them', async () => {
    if (database.engine === 'postgres') return;
    const query = database.db
      .selectFrom('request_record')
      .selectAll()
      .where('account_id', '=', 'a')
      .orderBy('request_id', 'desc')
      .limit(20);
    const compiled = query.compile();
    const explain = CompiledQuery.raw(`explain query plan ${compiled.sql}`, [...compiled.parameters]);
    const { rows } = await database.db.executeQuery<{ detail: string }>(explain);
    expect(rows.map(({ detail }) => detail)).toEqual([expect.stringContaining('SCAN request_record USING INDEX sqlite_autoindex')]);
  });
});
