import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { AccountStore } from '../../src/auth/account-store.js';
import { ApiKeyStore } from '../../src/auth/api-key-store.js';
import { environments } from '../../src/auth/principal.js';
import { CreditStore } from '../../src/billing/credit-store.js';
import { parseCredits } from '../../src/common/prices/credits.js';

export interface Customer {
  readonly accountId: string;
  readonly liveKey: string;
  readonly testKey: string;
}

let customers = 0;

/** An account with a key of each environment and as many credits in each. */
export async function createCustomer(app: NestFastifyApplication, credits = '1000'): Promise<Customer> {
  const { id: accountId } = await app.get(AccountStore).create(`Customer ${++customers}`);
  const amount = parseCredits(credits);
  if (amount > 0n) for (const environment of environments) await app.get(CreditStore).grant({ accountId, environment, amount });
  const [live, test] = await Promise.all(environments.map((environment) => app.get(ApiKeyStore).create({ accountId, environment })));
  return { accountId, liveKey: live!.key, testKey: test!.key };
}
