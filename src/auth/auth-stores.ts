import { KeyObject } from 'node:crypto';
import type { Provider } from '@nestjs/common';
import { ConfigService } from '../config/config.service.js';
import { Database } from '../database/database.js';
import { AccountStore } from './account-store.js';
import { AdminTokenStore } from './administration/admin-token-store.js';
import { ApiKeyHasher } from './api-key-hasher.js';
import { ApiKeyStore } from './api-key-store.js';
import { DerivedSecrets } from './derived-secrets.js';
import { loadPepper } from './pepper.js';
import { ProjectStore } from './project-store.js';

/** What is stored of accounts, projects, keys and tokens, and the secrets that go with it; none works in the background. */
export const authStores: Provider[] = [
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
  AdminTokenStore,
];
