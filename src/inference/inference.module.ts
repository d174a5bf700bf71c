import { Module } from '@nestjs/common';
import { BillingModule } from '../billing/billing.module.js';
import { CatalogueModule } from '../catalogue/catalogue.module.js';
import { AttemptsService } from './attempts.service.js';
import { InferenceService } from './inference.service.js';
import { ProviderProbes } from './routing/provider-probes.js';
import { RouterService } from './routing/router.service.js';

@Module({
  imports: [BillingModule, CatalogueModule],
  providers: [AttemptsService, InferenceService, ProviderProbes, RouterService],
  exports: [InferenceService],
})
export class InferenceModule {}
