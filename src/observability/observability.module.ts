import { type DynamicModule, Global, Module } from '@nestjs/common';
import { LOG, type Log } from './log.js';
import { DatabaseModule } from '../database/database.module.js';
import { Metrics } from './metrics.js';
import { MetricsController } from './metrics.controller.js';
import { MetricsPage } from './metrics-page.js';
import { RequestLog } from './request-log.js';
import { RequestRecords } from './request-records.js';
import { RequestTexts } from './request-texts.js';
import { Traces } from './traces.js';

@Global()
@Module({})
export class ObservabilityModule {
  /** @param page what `GET /metrics` answers; absent: the metrics of this process */
  static forRoot(log: Log, page?: MetricsPage): DynamicModule {
    return {
      module: ObservabilityModule,
      imports: [DatabaseModule],
      providers: [
        { provide: LOG, useValue: log },
        page ? { provide: MetricsPage, useValue: page } : { provide: MetricsPage, useExisting: Metrics },
        RequestLog,
        RequestRecords,
        RequestTexts,
        Metrics,
        Traces,
      ],
      controllers: [MetricsController],
      exports: [LOG, Metrics, Traces],
    };
  }
}
