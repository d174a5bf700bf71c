import { Module } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
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
import { authStores } from './auth-stores.js';
import { DerivedSecrets } from './derived-secrets.js';
import { EndedKeys } from './ended-keys.js';
import { KeyUse } from './key-use.js';
import { PlaygroundKeys } from './playground-keys.js';
import { ProjectStore } from './project-store.js';

@Module({
  imports: [DatabaseModule],
  providers: [
    ...authStores,
    ApiKeyService,
    EndedKeys,
    KeyUse,
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
