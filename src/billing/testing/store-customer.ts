import { randomUUIDv7 as uuidv7 } from 'node:crypto';
import { AccountStore } from '../../auth/account-store.js';
import { ApiKeyHasher } from '../../auth/api-key-hasher.js';
import { ApiKeyStore } from '../../auth/api-key-store.js';
import { loadPepper } from '../../auth/pepper.js';
import type { Environment, Principal } from '../../auth/principal.js';
import type { Config } from '../../config/config.schema.js';
import { ConfigService } from '../../config/config.service.js';
import type { Database } from '../../database/database.js';
import { CreditStore } from '../credit-store.js';

/** A customer with so many nano-credits, and a key. */
export async function storeCustomer(
  database: Database,
  config: Config,
  credits: bigint,
  environment: Environment = 'live',
): Promise<Principal> {
  const { id: accountId } = await new AccountStore(database).create(`customer ${uuidv7()}`);
  const hasher = new ApiKeyHasher(await loadPepper(config, database));
  const { apiKey } = await new ApiKeyStore(database, hasher, new ConfigService(config)).create({ accountId, environment });
  if (credits > 0n) await new CreditStore(database).grant({ accountId, environment, amount: credits });
  return { keyId: apiKey.id, accountId, environment };
}
