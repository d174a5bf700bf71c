import { Module } from '@nestjs/common';
import { DatabaseModule } from '../database/database.module.js';
import { ProvidersModule } from '../providers/registry/providers.module.js';
import { CatalogueService } from './catalogue.service.js';
import { LivePerformance } from './live-performance.js';
import { ModelNames } from './model-names.js';
import { ModelSwitchStore } from './model-switch-store.js';
import { ModelSwitches } from './model-switches.js';
import { PerformanceHistory } from '../observability/performance-history.js';
import { PerformanceStore } from './performance-store.js';
import { PriceBook } from './price-book.js';
import { PriceStore } from './price-store.js';
import { ModelsController } from './models.controller.js';
import { ModelsFormats } from './models-formats.js';

@Module({
  imports: [DatabaseModule, ProvidersModule],
  controllers: [ModelsController],
  providers: [
    CatalogueService,
    { provide: ModelNames, useExisting: CatalogueService },
    LivePerformance,
    ModelSwitchStore,
    ModelSwitches,
    ModelsFormats,
    PerformanceHistory,
    PerformanceStore,
    PriceBook,
    PriceStore,
  ],
  exports: [
    CatalogueService,
    LivePerformance,
    ModelNames,
    ModelSwitchStore,
    ModelsFormats,
    PerformanceHistory,
    PriceStore,
    ProvidersModule,
  ],
})
export class CatalogueModule {}
