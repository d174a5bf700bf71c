import { randomBytes } from 'node:crypto';
import { priceComponents } from '../../src/common/prices/price-components.js';
import { firstRequestId } from '../../src/common/requests/request-id.js';
import type { Database } from '../../src/database/database.js';
import { RowsInsert } from '../../src/database/insert-rows.js';
import { jsonRow, type JsonRow } from '../../src/database/json-rows.js';

const ofRequest = {
  request_id: 'text',
  account_id: 'text',
  environment: 'text',
  key_id: 'text',
  operation: 'text',
  model: 'text',
  prompt_tokens: 'int',
  completion_tokens: 'int',
  price_prompt: 'int',
  price_completion: 'int',
  outcome: 'text',
  created_at: 'int',
  duration_ms: 'int',
  client_request_id: 'text',
  streamed: 'int',
  status: 'int',
  error_code: 'text',
  attempts: 'text',
  dropped_parameters: 'text',
} as const;

const usage = new RowsInsert('usage', {
  ...ofRequest,
  began_at: 'int',
  provider: 'text',
  price_components: 'text',
  parts: 'text',
  hold: 'int',
  amount: 'int',
  collected: 'int',
  uncollected: 'int',
  estimated: 'int',
});
const records = new RowsInsert('request_record', ofRequest);

const BATCH = 2_000;

/** A tenth of the price of a prompt. */
const components = priceComponents({ cached_input: 250_000n }, [])!.text;

export interface Seed {
  readonly accountId: string;
  /** Ids of keys of the live environment, among which the requests are spread. */
  readonly keys: readonly string[];
  readonly models: readonly string[];
  readonly count: number;
  /** Milliseconds since 1970. */
  readonly from: number;
  readonly to: number;
}

/**
 * Stores requests as the gateway does, spread evenly over a time: each 40th of them was refused, each 50th had failed at
 * its provider, and each 4th has read a part of its prompt from a cache.
 */
export async function seedRequests(database: Database, { accountId, keys, models, count, from, to }: Seed): Promise<void> {
  const step = (to - from) / count;
  let charged: string[] = [];
  let refused: string[] = [];
  const write = async () => {
    await database.batch([
      ...(charged.length > 0 ? [usage.of(database, charged)] : []),
      ...(refused.length > 0 ? [records.of(database, refused)] : []),
    ]);
    [charged, refused] = [[], []];
  };
  for (let nth = 0; nth < count; nth++) {
    const time = Math.floor(from + nth * step);
    const ms = 200 + (nth % 1_000);
    const firstToken = 50 + ((nth * 7) % 400);
    const [isRefused, isFailed] = [nth % 40 === 39, nth % 50 === 17];
    const offer = `sandbox/${models[nth % models.length]!}`;
    const attempts = isRefused
      ? []
      : [
          {
            offer,
            outcome: isFailed ? 'overloaded' : 'served',
            startedMs: 0.5,
            ...(!isFailed && { firstTokenMs: firstToken }),
            totalMs: ms,
          },
        ];
    const row: JsonRow = [
      `${firstRequestId(time)}-7${randomBytes(2).toString('hex').slice(1)}-8${randomBytes(2).toString('hex').slice(1)}-${randomBytes(6).toString('hex')}`,
      accountId,
      'live',
      keys[nth % keys.length]!,
      'chat',
      models[nth % models.length]!,
      1_000,
      200,
      2_500_000,
      10_000_000,
      isRefused ? 'refused' : isFailed ? 'provider_failed' : 'completed',
      isRefused ? time : time + ms,
      ms,
      null,
      nth % 2,
      isRefused ? 429 : isFailed ? 503 : 200,
      isRefused ? 'rate_limit_exceeded' : isFailed ? 'model_overloaded' : null,
      JSON.stringify(attempts),
      '[]',
    ];
    const cached = nth % 4 === 0 && !isFailed;
    if (isRefused) refused.push(jsonRow(row));
    else
      charged.push(
        jsonRow([
          ...row,
          time,
          'sandbox',
          components,
          cached ? '{"cached_input":400}' : null,
          10_000_000,
          isFailed ? 0 : 4_500_000,
          0,
          0,
          0,
        ]),
      );
    if (charged.length + refused.length === BATCH) await write();
  }
  await write();
}
