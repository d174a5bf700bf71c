import { Module } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { ConfigService } from '../config/config.service.js';
import { Database } from '../database/database.js';
import { DatabaseModule } from '../database/database.module.js';
import { AccountStore } from './account-store.js';
import { ApiKeyHasher } from './api-key-hasher.js';
import { ApiKeyStore } from './api-key-store.js';
import { ApiKeyGuard } from './api-key.guard.js';
import { ApiKeyService } from './api-key.service.js';
import { loadPepper } from './pepper.js';

@Module({
  imports: [DatabaseModule],
  providers: [
    {
      provide: ApiKeyHasher,
      inject: [ConfigService, Database],
      useFactory: async (config: ConfigService, database: Database) => new ApiKeyHasher(await loadPepper(config.current, database)),
    },
    AccountStore,
    ApiKeyStore,
    ApiKeyService,
    { provide: APP_GUARD, useClass: ApiKeyGuard },
  ],
  exports: [AccountStore, ApiKeyStore, ApiKeyService],
})
export class AuthModule {}
