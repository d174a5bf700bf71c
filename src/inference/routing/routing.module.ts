import { Global, Module } from '@nestjs/common';
import { ModelHealth } from '../../catalogue/model-health.js';
import { ProvidersModule } from '../../providers/providers.module.js';
import { RouterService } from './router.service.js';

/** Which offer is asked, and how each fares. Global, because the catalogue asks it through a port of its own and knows nothing of it. */
@Global()
@Module({
  imports: [ProvidersModule],
  providers: [RouterService, { provide: ModelHealth, useExisting: RouterService }],
  exports: [RouterService, ModelHealth],
})
export class RoutingModule {}
