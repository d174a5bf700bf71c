import { Module } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module.js';
import { DatabaseModule } from '../database/database.module.js';
import { BalanceAlertStore } from './balance-alert-store.js';
import { BalanceMails } from './balance-mails.js';
import { DeliveryStore } from './delivery-store.js';
import { LowBalances } from './low-balances.js';
import { ProviderOutages } from './provider-outages.js';
import { WebhookEndpointStore } from './webhook-endpoint-store.js';
import { WebhookEndpoints } from './webhook-endpoints.js';
import { WebhookFigures } from './webhook-figures.js';
import { WebhookMetrics } from './webhook-metrics.js';
import { WebhookSender } from './webhook-sender.js';
import { WebhookWorker } from './webhook-worker.js';

@Module({
  imports: [DatabaseModule, AuthModule],
  providers: [
    WebhookEndpointStore,
    WebhookEndpoints,
    LowBalances,
    ProviderOutages,
    DeliveryStore,
    WebhookSender,
    BalanceAlertStore,
    BalanceMails,
    WebhookFigures,
    WebhookMetrics,
    WebhookWorker,
  ],
  exports: [BalanceAlertStore, WebhookEndpointStore, LowBalances, ProviderOutages, WebhookSender],
})
export class WebhooksModule {}
