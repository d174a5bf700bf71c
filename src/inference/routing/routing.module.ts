import { Global, Module } from '@nestjs/common';
import { ModelHealth } from '../../catalogue/model-health.js';
import { ProvidersModule } from '../../providers/providers.module.js';
import { RouterService } from './router.service.js';

/**
 * Routing and the health of offers. It is global because the catalogue uses it through a port and does not import it.
 */
@Global()
@Module({
  imports: [ProvidersModule],
  providers: [RouterService, { provide: ModelHealth, useExisting: RouterService }],
  exports: [RouterService, ModelHealth],
})
export class RoutingModule {}
