import { Inject, Module, type OnApplicationShutdown } from '@nestjs/common';
import { ConfigService } from '../config/config.service.js';
import { Database } from './database.js';
import { openDatabase } from './open-database.js';

/** The store, open from before any module's `onModuleInit` until after every module's `onApplicationShutdown` that imports this one. */
@Module({
  providers: [{ provide: Database, inject: [ConfigService], useFactory: (config: ConfigService) => openDatabase(config.current.store) }],
  exports: [Database],
})
export class DatabaseModule implements OnApplicationShutdown {
  constructor(@Inject(Database) private readonly database: Database) {}

  async onApplicationShutdown(): Promise<void> {
    await this.database.close();
  }
}
