import type { Engine } from '../../engine.js';

/** Triggers that keep the rows of a table from being changed or deleted. */
export function neverChanged(engine: Engine, table: string): string[] {
  const name = `${table}_never_changed`;
  const message = `'rows of ${table} are never changed'`;
  if (engine === 'sqlite')
    return ['update', 'delete'].map(
      (event) => `create trigger ${name}_by_${event} before ${event} on ${table} begin select raise(abort, ${message}); end`,
    );
  return [
    `create function ${name}() returns trigger language plpgsql as $$ begin raise exception ${message}; end $$`,
    `create trigger ${name} before update or delete on ${table} for each row execute function ${name}()`,
  ];
}

const COUNTED = [
  ['stored_response', 'responses'],
  ['idempotency_key', 'answers'],
] as const;

/** When a row counts, and what is done then. */
const EVENTS = [
  ['added', 'insert on', 'new', 'add'],
  ['grown', 'update of bytes on', 'new', 'add'],
  ['shrunk', 'update of bytes on', 'old', 'take'],
  ['deleted', 'delete on', 'old', 'take'],
] as const;

const STATEMENTS = {
  add: (kind: string) => `insert into stored_space (account_id, kind, entries, bytes) values (new.account_id, ${kind}, 1, new.bytes)
    on conflict (account_id, kind) do update set entries = stored_space.entries + 1, bytes = stored_space.bytes + excluded.bytes;`,
  take: (kind: string) => `update stored_space set entries = entries - 1, bytes = bytes - old.bytes
    where account_id = old.account_id and kind = ${kind};`,
};

/** What is stored of an account is counted as it is written, whichever statement writes or deletes it. */
export function storedSpaceCounted(engine: Engine): string[] {
  const triggers = COUNTED.flatMap(([table, kind]) =>
    EVENTS.map(([name, event, row, what]) => {
      const trigger = `create trigger ${table}_${name} after ${event} ${table}`;
      return engine === 'sqlite'
        ? `${trigger} when ${row}.bytes > 0 begin ${STATEMENTS[what](`'${kind}'`)} end`
        : `${trigger} for each row when (${row}.bytes > 0) execute function stored_space_${what}('${kind}')`;
    }),
  );
  if (engine === 'sqlite') return triggers;
  const functions = (['add', 'take'] as const).map(
    (what) => `create function stored_space_${what}() returns trigger language plpgsql as
      $$ begin ${STATEMENTS[what]('tg_argv[0]')} return null; end $$`,
  );
  return [...functions, ...triggers];
}
