import { Module } from '@nestjs/common';
import { DatabaseModule } from '../database/database.module.js';
import { AuditLog } from './audit/audit-log.js';
import { Gateways } from './gateways.js';
import { RecentErrors } from './recent-errors.js';
import { RecordSweep } from './record-sweep.js';
import { RequestHistories } from './request-history.js';
import { RequestRecords } from './request-records.js';
import { RequestTexts } from './request-texts.js';

/**
 * What is stored of requests. It is not a part of ObservabilityModule, because Nest ends global modules last, after the
 * store that these write to has been closed.
 */
@Module({
  imports: [DatabaseModule],
  providers: [RequestRecords, RecordSweep, RequestTexts, RequestHistories, RecentErrors, Gateways, AuditLog],
  exports: [RequestHistories, RecentErrors, Gateways, AuditLog],
})
export class RequestHistoryModule {}
