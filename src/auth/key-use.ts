import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import type { ExpressionBuilder } from 'kysely';
import { Clock } from '../common/time/clock.js';
import { Database } from '../database/database.js';
import type { Schema } from '../database/schema.js';
import { OpenRequests } from '../http/server/open-requests.js';
import { WriteBehind } from '../observability/write-behind.js';
import type { Principal } from './principal.js';

/** A key had a request that ended at this time, in milliseconds since 1970. */
interface Use {
  readonly keyId: string;
  readonly at: number;
}

/** How exact the time of the last use is, in milliseconds: each process notes a key once in so long. */
const EXACT_MS = 60_000;

/** Notes when keys were last used. A request looks into a set; what is new in it is written in the background. */
@Injectable()
export class KeyUse implements OnApplicationShutdown {
  readonly #noted = new Set<string>();
  readonly #uses: WriteBehind<Use>;
  #since = 0;

  constructor(
    database: Database,
    openRequests: OpenRequests,
    private readonly clock: Clock,
  ) {
    this.#uses = new WriteBehind(
      {
        what: 'uses of keys',
        batch: 500,
        interval: 2_000,
        maxWaiting: 20_000,
        write: (uses) => writeUses(database, uses),
      },
      clock,
    );
    openRequests.onEnd(({ request: { principal } }) => {
      if (principal) this.#note(principal);
    });
  }

  onApplicationShutdown(): Promise<void> {
    return this.#uses.close();
  }

  #note({ keyId, accountId }: Principal): void {
    const at = this.clock.now();
    if (at - this.#since >= EXACT_MS) {
      this.#since = at;
      this.#noted.clear();
    }
    if (this.#noted.has(keyId)) return;
    this.#noted.add(keyId);
    this.#uses.add({ keyId, at }, accountId);
  }
}

/** Keeps the latest time of each key. Rows are locked in the order of their ids, by all gateways. */
export async function writeUses({ db }: Database, uses: readonly Use[]): Promise<void> {
  const latest = new Map(uses.toSorted((one, other) => one.at - other.at).map(({ keyId, at }) => [keyId, at]));
  const rows = Array.from(latest, ([key_id, used_at]) => ({ key_id, used_at }));
  await db
    .insertInto('key_use')
    .values(rows.toSorted((one, other) => (one.key_id < other.key_id ? -1 : 1)))
    .onConflict((conflict) =>
      conflict
        .column('key_id')
        .doUpdateSet((row) => ({ used_at: row.ref('excluded.used_at') }))
        .whereRef('key_use.used_at', '<', 'excluded.used_at'),
    )
    .execute();
}

/** When the key of a row was last used, as `used_at`. */
export const lastUse = (select: ExpressionBuilder<Schema, 'api_key'>) =>
  select.selectFrom('key_use').select('key_use.used_at').whereRef('key_use.key_id', '=', 'api_key.id').as('used_at');
