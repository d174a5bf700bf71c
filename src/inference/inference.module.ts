import { Module } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module.js';
import { BillingModule } from '../billing/billing.module.js';
import { CatalogueModule } from '../catalogue/catalogue.module.js';
import { Database } from '../database/database.js';
import { DatabaseModule } from '../database/database.module.js';
import { storeKey } from '../database/store-key.js';
import { LimitsModule } from '../limits/limits.module.js';
import { WebhooksModule } from '../webhooks/webhooks.module.js';
import { AttemptsService } from './attempts/attempts.service.js';
import { Calibrations } from './calibration/calibrations.js';
import { CarriedTexts } from './carried/carried-facts.js';
import { UnpaidLeavings } from './generation/unpaid-leavings.js';
import { UsageWaits } from './generation/usage-waits.js';
import { IdempotencyService } from './idempotency/idempotency.service.js';
import { InferenceService } from './inference.service.js';
import { PromptCount } from './prompt-count.js';
import { ProviderProbes } from './routing/provider-probes.js';
import { ProviderWatch } from './routing/provider-watch.js';
import { RoutingTryout } from './routing-tryout.js';
import { RoutingModule } from './routing/routing.module.js';

@Module({
  imports: [AuthModule, BillingModule, DatabaseModule, LimitsModule, CatalogueModule, RoutingModule, WebhooksModule],
  providers: [
    AttemptsService,
    Calibrations,
    UnpaidLeavings,
    UsageWaits,
    IdempotencyService,
    InferenceService,
    PromptCount,
    {
      provide: CarriedTexts,
      inject: [Database],
      useFactory: async (database: Database) => new CarriedTexts(await storeKey(database, 'carried_texts_key')),
    },
    RoutingTryout,
    ProviderProbes,
    ProviderWatch,
  ],
  exports: [CarriedTexts, IdempotencyService, InferenceService, PromptCount, RoutingTryout],
})
export class InferenceModule {}
