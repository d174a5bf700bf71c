import { Injectable } from '@nestjs/common';
import { accessOf, combineRules } from '../../auth/rules/principal-rules.js';
import type { CatalogueModel } from '../../catalogue/catalogue-model.js';
import { CatalogueService } from '../../catalogue/catalogue.service.js';
import { LivePerformance } from '../../catalogue/live-performance.js';
import { ModelHealth } from '../../catalogue/model-health.js';
import { type PastTotals, PerformanceHistory, QUARTER_MS } from '../../observability/performance-history.js';
import type { ModelAccess } from '../../common/access/model-access.js';
import { AccountsService } from '../accounts/accounts.service.js';
import { type PageView } from '../page.dto.js';
import { found } from '../preconditions.js';
import { type AccountModelView, accountModelView } from './account-model.dto.js';
import { type AccountModelsDto, pageOfModels } from './account-models.query.js';

const HOUR_MS = 4 * QUARTER_MS;
const DAY_MS = 24 * HOUR_MS;

/** Models as the members of an account see them. */
@Injectable()
export class AccountModels {
  constructor(
    private readonly accounts: AccountsService,
    private readonly catalogue: CatalogueService,
    private readonly performance: LivePerformance,
    private readonly history: PerformanceHistory,
    private readonly health: ModelHealth,
  ) {}

  async page(accountId: string, query: AccountModelsDto): Promise<PageView<AccountModelView>> {
    const models = new Map(Array.from(await this.catalogue.accessible(await this.#accessOf(accountId)), (model) => [model.id, model]));
    const brief = [...models.values()].map((model) => this.#view(accountId, model, []));
    const { data, next } = pageOfModels(brief, query);
    const shown = data.map(({ id }) => models.get(id)!);
    return { data: await this.#views(accountId, shown, HOUR_MS), next };
  }

  /** @throws ApiError 404 where no provider has the model, or the rules do not allow it */
  async get(accountId: string, id: string): Promise<AccountModelView> {
    const model = this.catalogue.find(id, await this.#accessOf(accountId));
    const [view] = await this.#views(accountId, [model], QUARTER_MS);
    return found('model', id, view);
  }

  async #accessOf(accountId: string): Promise<ModelAccess | undefined> {
    const { id, rules } = await this.accounts.get(accountId);
    return accessOf('live', combineRules('live', [{ kind: 'account', id, rules }]));
  }

  /** @param interval of the history, in milliseconds */
  async #views(accountId: string, models: readonly CatalogueModel[], interval: number): Promise<AccountModelView[]> {
    const names = new Set(models.flatMap(({ offers }) => offers.map(({ watchedAs }) => watchedAs)));
    const since = Math.floor(Date.now() / interval) * interval - DAY_MS + interval;
    const past = await this.history.read([...names], interval, since);
    return models.map((model) => this.#view(accountId, model, past));
  }

  #view(accountId: string, model: CatalogueModel, past: readonly PastTotals[]): AccountModelView {
    return accountModelView(model, accountId, past, this.performance, this.health);
  }
}
