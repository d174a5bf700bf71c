import { type DynamicModule, Global, Module } from '@nestjs/common';
import { LOG, type Log } from './log.js';
import { Metrics } from './metrics.js';
import { MetricsController } from './metrics.controller.js';
import { MetricsPage } from './metrics-page.js';
import { ProviderFigures } from '../providers/kit/provider-metrics.js';
import { ModuleFigures } from './provider-figures.js';
import { RefusalSample } from './refusal-sample.js';
import { RequestLog } from './request-log.js';
import { Traces } from './traces.js';

@Global()
@Module({})
export class ObservabilityModule {
  /** @param page what `GET /metrics` answers; absent: the metrics of this process */
  static forRoot(log: Log, page?: MetricsPage): DynamicModule {
    return {
      module: ObservabilityModule,
      providers: [
        { provide: LOG, useValue: log },
        page ? { provide: MetricsPage, useValue: page } : { provide: MetricsPage, useExisting: Metrics },
        RefusalSample,
        RequestLog,
        Metrics,
        Traces,
        { provide: ProviderFigures, useClass: ModuleFigures },
      ],
      controllers: [MetricsController],
      exports: [LOG, Metrics, ProviderFigures, RefusalSample, Traces],
    };
  }
}
