import { Module } from '@nestjs/common';
import { BillingModule } from '../billing/billing.module.js';
import { AboutController } from './about.controller.js';
import { HealthController } from './health.controller.js';

@Module({ imports: [BillingModule], controllers: [AboutController, HealthController] })
export class HealthModule {}
