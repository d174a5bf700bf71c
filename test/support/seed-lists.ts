export interface Lists {
  readonly keys: number;
  readonly accounts: number;
  readonly projects: number;
  readonly people: number;
  readonly requests: number;
}

/**
 * The statements, of SQLite and of PostgreSQL, that store what lists show: `Key 1` the oldest and so on, in the live
 * environment of an account, which has the projects, people and requests too.
 */
export function seedLists(account: string, { keys, accounts, projects, people, requests }: Lists): string[] {
  const [now, month] = [Date.now(), 30 * 86_400_000];
  const numbers = (count: number) => `with recursive n (i) as (select cast(1 as bigint) union all select i + 1 from n where i < ${count})`;
  const padded = (length: number) => `substr('${'0'.repeat(length)}' || i, length('' || i) + 1)`;
  return [
    `insert into account (id, name, kind, created_at) ${numbers(accounts)}
      select 'account-' || i, 'Seeded ' || i, 'customer', i from n`,
    `insert into project (id, account_id, name, created_at, version) ${numbers(projects)}
      select 'project-' || i, '${account}', 'Project ' || i, i, 1000000 + i from n`,
    `insert into person (id, email, name, operator, created_at, version) ${numbers(people)}
      select 'usr_' || i, 'member-' || ${padded(5)} || '@example.com', 'Member ' || i, 0, i, 0 from n`,
    `insert into membership (account_id, person_id, role, created_at) ${numbers(people)}
      select '${account}', 'usr_' || i, 'viewer', i from n`,
    `insert into api_key (id, account_id, project_id, environment, digest, pepper_version, label, display, created_at, version)
      ${numbers(keys)}
      select 'seeded-' || i, '${account}', 'project-' || (1 + i % ${projects}), 'live', ${padded(64)}, 1, 'Key ' || i,
        'sy-live-' || i, i, 2000000 + i from n`,
    `update counter set value = 3000000 where name in ('api_key', 'project')`,
    ...(requests === 0
      ? []
      : [
          `insert into usage (request_id, account_id, environment, key_id, operation, model, provider, price_prompt,
              price_completion, prompt_tokens, completion_tokens, hold, amount, collected, uncollected, outcome, estimated,
              created_at, began_at, duration_ms, streamed, status, attempts, dropped_parameters) ${numbers(requests)}
            select '01900000-0000-7000-8000-' || ${padded(12)}, '${account}', 'live', 'seeded-' || (1 + i % ${keys}), 'chat',
              'model-' || (i % 12), 'sandbox', 1000, 1000, 1000, 200, 9, 9, 0, 0, 'completed', 0,
              ${now - month} + i * ${Math.floor(month / requests)}, ${now - month} + i * ${Math.floor(month / requests)},
              500, 0, 200, '[]', '[]' from n`,
        ]),
    'analyze',
  ];
}
