import { KeyObject } from 'node:crypto';
import { Module } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { ConfigService } from '../config/config.service.js';
import { Database } from '../database/database.js';
import { DatabaseModule } from '../database/database.module.js';
import { AdminAuthenticator, RequestAuthenticator } from '../http/server/request-authenticator.js';
import { AccountStore } from './account-store.js';
import { AdminTokenService } from './administration/admin-token.service.js';
import { AdminTokenStore } from './administration/admin-token-store.js';
import { AdminGuard } from './administration/admin.guard.js';
import { PlaygroundGuard } from './administration/playground.guard.js';
import { ApiKeyHasher } from './api-key-hasher.js';
import { ApiKeyStore } from './api-key-store.js';
import { ApiKeyGuard } from './api-key.guard.js';
import { ApiKeyService } from './api-key.service.js';
import { DerivedSecrets } from './derived-secrets.js';
import { EndedKeys } from './ended-keys.js';
import { KeyUse } from './key-use.js';
import { loadPepper } from './pepper.js';
import { PlaygroundKeys } from './playground-keys.js';
import { ProjectStore } from './project-store.js';

@Module({
  imports: [DatabaseModule],
  providers: [
    // The only KeyObject is the pepper.
    {
      provide: KeyObject,
      inject: [ConfigService, Database],
      useFactory: (config: ConfigService, database: Database) => loadPepper(config.current, database),
    },
    { provide: ApiKeyHasher, inject: [KeyObject], useFactory: (pepper: KeyObject) => new ApiKeyHasher(pepper) },
    { provide: DerivedSecrets, inject: [KeyObject], useFactory: (pepper: KeyObject) => new DerivedSecrets(pepper) },
    AccountStore,
    ProjectStore,
    ApiKeyStore,
    ApiKeyService,
    EndedKeys,
    KeyUse,
    AdminTokenStore,
    AdminTokenService,
    AdminGuard,
    PlaygroundGuard,
    PlaygroundKeys,
    { provide: AdminAuthenticator, useExisting: AdminGuard },
    ApiKeyGuard,
    { provide: APP_GUARD, useExisting: ApiKeyGuard },
    { provide: RequestAuthenticator, useExisting: ApiKeyGuard },
  ],
  exports: [
    AccountStore,
    ApiKeyGuard,
    ApiKeyHasher,
    ApiKeyService,
    PlaygroundKeys,
    ProjectStore,
    ApiKeyStore,
    AdminTokenStore,
    AdminTokenService,
    AdminAuthenticator,
    DerivedSecrets,
    RequestAuthenticator,
  ],
})
export class AuthModule {}
