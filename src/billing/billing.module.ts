import { Module } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module.js';
import { DatabaseModule } from '../database/database.module.js';
import { WebhooksModule } from '../webhooks/webhooks.module.js';
import { BalanceSeries } from './balance-series.js';
import { ChargeReport } from './charge-report.js';
import { CreditStore } from './credit-store.js';
import { FirstStart } from './first-start.js';
import { Ledger } from './hold/ledger.js';
import { IdempotencyStore } from './idempotency-store.js';
import { LeaseLedger } from './leases/lease-ledger.js';
import { ledgerFigures, LedgerMetrics } from './leases/ledger-metrics.js';
import { LedgerVerification } from './ledger-verification.js';
import { Statements } from './statement.js';
import { UsageReport } from './usage-report.js';
import { UsageSeries } from './usage-series.js';

@Module({
  imports: [DatabaseModule, AuthModule, WebhooksModule],
  providers: [
    CreditStore,
    UsageReport,
    UsageSeries,
    BalanceSeries,
    ChargeReport,
    Statements,
    FirstStart,
    IdempotencyStore,
    ledgerFigures,
    LeaseLedger,
    LedgerMetrics,
    LedgerVerification,
    { provide: Ledger, useExisting: LeaseLedger },
  ],
  exports: [
    CreditStore,
    BalanceSeries,
    Statements,
    UsageReport,
    UsageSeries,
    ChargeReport,
    FirstStart,
    IdempotencyStore,
    Ledger,
    LedgerVerification,
  ],
})
export class BillingModule {}
