import { Inject, Module, type OnApplicationShutdown } from '@nestjs/common';
import { Clock } from '../common/time/clock.js';
import { ConfigService } from '../config/config.service.js';
import { Creations } from './creations.js';
import { Database } from './database.js';
import { FreePages } from './free-pages.js';
import { openDatabase } from './open-database.js';

/**
 * The store. It is open before any module's `onModuleInit`, and until after the `onApplicationShutdown` of every module
 * that imports this one.
 */
@Module({
  providers: [
    {
      provide: Database,
      inject: [ConfigService, Clock],
      useFactory: (config: ConfigService, clock: Clock) => openDatabase(config.current.store, clock),
    },
    Creations,
    FreePages,
  ],
  exports: [Database, Creations],
})
export class DatabaseModule implements OnApplicationShutdown {
  constructor(@Inject(Database) private readonly database: Database) {}

  async onApplicationShutdown(): Promise<void> {
    await this.database.close();
  }
}
