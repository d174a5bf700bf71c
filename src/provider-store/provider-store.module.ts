import { Module } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module.js';
import { DatabaseModule } from '../database/database.module.js';
import { ProvidersModule } from '../providers/registry/providers.module.js';
import { StoredProviderStore } from './stored-provider-store.js';
import { StoredProviders } from './stored-providers.js';

@Module({
  imports: [DatabaseModule, AuthModule, ProvidersModule],
  providers: [StoredProviderStore, StoredProviders],
  exports: [ProvidersModule, StoredProviderStore, StoredProviders],
})
export class ProviderStoreModule {}
