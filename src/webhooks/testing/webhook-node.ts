import { AccountStore } from '../../auth/account-store.js';
import { ApiKeyHasher } from '../../auth/api-key-hasher.js';
import { DerivedSecrets } from '../../auth/derived-secrets.js';
import { loadPepper } from '../../auth/pepper.js';
import { systemClock } from '../../common/time/clock.js';
import { ManualClock } from '../../common/testing/manual-clock.js';
import { configSchema } from '../../config/config.schema.js';
import { ConfigService } from '../../config/config.service.js';
import type { Database } from '../../database/database.js';
import { AttemptCounts } from '../../people/attempt-counts.js';
import { Mailer } from '../../people/mail/mailer.js';
import { MemberStore } from '../../people/member-store.js';
import { PersonStore } from '../../people/person-store.js';
import { BalanceMails } from '../balance-mails.js';
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
    mails: BalanceMails,
    /** By which it looks for messages. What it sends has the time that the machine takes. */
    readonly clock: ManualClock,
  ) {
    const service = new ConfigService(config);
    const endpoints = new WebhookEndpoints(database, store);
    this.lowBalances = new LowBalances(database, endpoints);
    this.outages = new ProviderOutages(database, endpoints, service, systemClock);
    this.deliveries = new DeliveryStore(database);
    const sender = new WebhookSender(service, systemClock);
    this.worker = new WebhookWorker(endpoints, store, this.deliveries, sender, mails, this.lowBalances, this.figures, clock);
  }

  static async of(database: Database, clock = ManualClock.running()): Promise<WebhookNode> {
    const pepper = await loadPepper(config, database);
    const secrets = new DerivedSecrets(pepper);
    const service = new ConfigService(config);
    // No mail server is configured.
    const mails = new BalanceMails(
      new PersonStore(database),
      new MemberStore(database),
      new AccountStore(database),
      new AttemptCounts(database, new ApiKeyHasher(pepper)),
      service,
      new Mailer(service, systemClock),
    );
    return new WebhookNode(database, new WebhookEndpointStore(database, secrets, service), mails, clock);
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
