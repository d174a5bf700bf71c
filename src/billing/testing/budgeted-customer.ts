import { ApiKeyHasher } from '../../auth/api-key-hasher.js';
import { ApiKeyStore } from '../../auth/api-key-store.js';
import { loadPepper } from '../../auth/pepper.js';
import type { Principal } from '../../auth/principal.js';
import { ProjectStore } from '../../auth/project-store.js';
import { combineRules } from '../../auth/rules/principal-rules.js';
import type { BudgetsDto } from '../../auth/rules/rules.dto.js';
import type { Config } from '../../config/config.schema.js';
import { ConfigService } from '../../config/config.service.js';
import type { Database } from '../../database/database.js';
import { storeCustomer } from './store-customer.js';

type Budgets = Partial<Record<'key' | 'project' | 'account', BudgetsDto>>;

/** A customer with a project, whose keys have budgets. */
export class BudgetedCustomer {
  private constructor(
    private readonly keys: ApiKeyStore,
    private readonly accountId: string,
    private readonly projectId: string,
  ) {}

  /** @param credits nano-credits */
  static async create(database: Database, config: Config, credits: bigint): Promise<BudgetedCustomer> {
    const { accountId } = await storeCustomer(database, config, credits);
    const { id: projectId } = await new ProjectStore(database, new ConfigService(config)).create({ accountId, name: 'project' });
    const hasher = new ApiKeyHasher(await loadPepper(config, database));
    return new BudgetedCustomer(new ApiKeyStore(database, hasher, new ConfigService(config)), accountId, projectId);
  }

  /** A key of the project, as gateways know it that know of these budgets. */
  async key(budgets: Budgets): Promise<Principal> {
    const { apiKey } = await this.keys.create({ accountId: this.accountId, environment: 'live', projectId: this.projectId });
    return this.as(apiKey.id, apiKey.id, budgets);
  }

  /** The key that takes the place of another. */
  async successor({ keyId }: Principal, budgets: Budgets): Promise<Principal> {
    const { apiKey } = (await this.keys.rotate(keyId, 60_000))!;
    return this.as(apiKey.id, apiKey.firstId, budgets);
  }

  /** The same key, as it is known when its budgets have changed. */
  changed({ keyId }: Principal, budgets: Budgets): Principal {
    return this.as(keyId, keyId, budgets);
  }

  private as(keyId: string, firstId: string, { key, project, account }: Budgets): Principal {
    const rules = combineRules('live', [
      { kind: 'key', id: firstId, rules: { ...(key && { budgets: key }) } },
      { kind: 'project', id: this.projectId, rules: { ...(project && { budgets: project }) } },
      { kind: 'account', id: this.accountId, rules: { ...(account && { budgets: account }) } },
    ]);
    return { keyId, accountId: this.accountId, environment: 'live', rules };
  }
}
