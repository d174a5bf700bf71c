import { Global, Module } from '@nestjs/common';
import { ModelHealth } from '../../catalogue/model-health.js';
import { Database } from '../../database/database.js';
import { DatabaseModule } from '../../database/database.module.js';
import { storeKey } from '../../database/store-key.js';
import { ProvidersModule } from '../../providers/registry/providers.module.js';
import { KeyedNames } from '../fitting/keyed-names.js';
import { RouterService } from './router.service.js';

/**
 * Routing and the health of offers. It is global because the catalogue uses it through a port and does not import it.
 */
@Global()
@Module({
  imports: [DatabaseModule, ProvidersModule],
  providers: [
    RouterService,
    {
      provide: KeyedNames,
      inject: [Database],
      useFactory: async (database: Database) => new KeyedNames(await storeKey(database, 'mapped_names_key')),
    },
    { provide: ModelHealth, useExisting: RouterService },
  ],
  exports: [RouterService, ModelHealth],
})
export class RoutingModule {}
