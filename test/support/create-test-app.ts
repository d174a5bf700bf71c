import { mkdtemp, rm } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { createApp, listen } from '../../src/app.setup.js';
import { FirstStart } from '../../src/billing/first-start.js';
import { ManualClock } from '../../src/common/testing/manual-clock.js';
import { type Config, configSchema } from '../../src/config/config.schema.js';
import { prepareStore } from '../../src/database/testing/migrated-store.js';
import type { LoadedModule } from '../../src/providers/kit/provider-module.js';
import { createCustomer, type Customer } from './customer.js';

export interface TestApp extends Customer {
  readonly app: NestFastifyApplication;
  readonly config: Config;
  readonly port: number;
  /** http://127.0.0.1:port, without /v1 */
  readonly url: string;
  close(): Promise<void>;
}

export type DeepPartial<T> = T extends object ? { [K in keyof T]?: DeepPartial<T[K]> } : T;

/**
 * The app as main builds it, listening on a free port of the loopback, with a data folder of its own and the first
 * start's account and keys, or, on
 * PostgreSQL, where a first start makes nothing, a customer's.
 * @param clock that of the whole gateway; absent: the system's
 */
export async function createTestApp(
  settings: DeepPartial<Config> = {},
  modules: readonly LoadedModule[] = [],
  clock?: ManualClock,
): Promise<TestApp> {
  const dataDir = await mkdtemp(join(tmpdir(), 'switchyard-test-'));
  const config = configSchema.parse({
    ...settings,
    server: { drain_timeout: 1000, ...settings.server, port: 0 },
    // A spec looks at what was charged as soon as its request has ended.
    store: { data_dir: dataDir, flush_interval: 20, ...settings.store },
    // A spec's upstream is asked for what the spec asks.
    routing: { probe_interval: 0, ...settings.routing },
    sandbox: { live: true, ...settings.sandbox },
    observability: { log_level: 'silent', ...settings.observability },
  });
  if (!config.store.database_url) await prepareStore(config.store.data_dir);
  const app = await createApp(config, modules, undefined, clock);
  await listen(app, config.server);
  const { port } = app.getHttpServer().address() as AddressInfo;
  const made = await app.get(FirstStart).seed();
  if (!made && !config.store.database_url) throw new Error('the data folder was not empty');
  const { accountId, liveKey, testKey } = made ? { ...made, accountId: made.account.id } : await createCustomer(app);
  return {
    app,
    config,
    port,
    url: `http://127.0.0.1:${port}`,
    accountId,
    liveKey,
    testKey,
    async close() {
      const closed = app.close();
      await (clock?.running === false ? clock.advanceUntil(closed) : closed);
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}
