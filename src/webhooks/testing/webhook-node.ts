import { DerivedSecrets } from '../../auth/derived-secrets.js';
import { loadPepper } from '../../auth/pepper.js';
import { configSchema } from '../../config/config.schema.js';
import { ConfigService } from '../../config/config.service.js';
import type { Database } from '../../database/database.js';
import { DeliveryStore } from '../delivery-store.js';
import { LowBalances } from '../low-balances.js';
import { ProviderOutages } from '../provider-outages.js';
import { WebhookEndpointStore } from '../webhook-endpoint-store.js';
import { WebhookEndpoints } from '../webhook-endpoints.js';
import { WebhookFigures } from '../webhook-figures.js';
import { WebhookSender } from '../webhook-sender.js';
import { WebhookWorker } from '../webhook-worker.js';

export const config = configSchema.parse({
  keys: { pepper: 'p'.repeat(32) },
  webhooks: { allow_http: true, allow_private_addresses: true, provider_settle: 20 },
});

/** What one gateway process has of webhooks. */
export class WebhookNode {
  readonly lowBalances: LowBalances;
  readonly outages: ProviderOutages;
  readonly deliveries: DeliveryStore;
  readonly figures = new WebhookFigures();
  readonly worker: WebhookWorker;

  private constructor(
    database: Database,
    readonly store: WebhookEndpointStore,
  ) {
    const service = new ConfigService(config);
    const endpoints = new WebhookEndpoints(database, store);
    this.lowBalances = new LowBalances(database, endpoints);
    this.outages = new ProviderOutages(database, endpoints, service);
    this.deliveries = new DeliveryStore(database);
    this.worker = new WebhookWorker(endpoints, store, this.deliveries, new WebhookSender(service), this.lowBalances, this.figures);
  }

  static async of(database: Database): Promise<WebhookNode> {
    const secrets = new DerivedSecrets(await loadPepper(config, database));
    return new WebhookNode(database, new WebhookEndpointStore(database, secrets, new ConfigService(config)));
  }

  async start(): Promise<this> {
    await this.worker.onApplicationBootstrap();
    this.outages.onApplicationBootstrap();
    return this;
  }

  async stop(): Promise<void> {
    await this.outages.onModuleDestroy();
    await this.worker.onModuleDestroy();
  }
}
