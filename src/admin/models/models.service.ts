import { Injectable } from '@nestjs/common';
import type { CatalogueModel } from '../../catalogue/catalogue-model.js';
import { CatalogueService } from '../../catalogue/catalogue.service.js';
import { ModelHealth } from '../../catalogue/model-health.js';
import type { ModelSwitch } from '../../catalogue/model-switch-store.js';
import { ApiError } from '../../common/api-error.js';
import { type Page, pageInMemory } from '../../database/pages.js';
import type { Deed } from '../../observability/audit/audit-log.js';
import { found } from '../preconditions.js';
import {
  type DisableModelDto,
  isOut,
  type ModelSwitchesDto,
  modelView,
  type OperatorModelsDto,
  type OperatorModelView,
} from './model.dto.js';
import { ModelSwitching } from './model-switching.js';

@Injectable()
export class ModelsService {
  constructor(
    private readonly catalogue: CatalogueService,
    private readonly switches: ModelSwitching,
    private readonly health: ModelHealth,
  ) {}

  /** Their ids and those of their providers are searched. */
  async page({ out_of_service, ...query }: OperatorModelsDto): Promise<Page<OperatorModelView>> {
    const switches = await this.switches.list();
    const all = Array.from(this.catalogue.all(), (model) => modelView(model, this.health, switches));
    return pageInMemory(
      out_of_service ? all.filter(isOut) : all,
      query,
      ({ id }) => id,
      ({ id, offers }) => [id, ...offers.map(({ provider }) => provider)].join(' '),
    );
  }

  /** @throws ApiError 404 where no provider has the model */
  get(id: string): CatalogueModel {
    return this.#withId(id) ?? this.catalogue.find(id);
  }

  async switchesPage({ offered, ...query }: ModelSwitchesDto): Promise<Page<ModelSwitch>> {
    const all = (await this.switches.list()).filter((one) => offered === undefined || this.#isOffered(one) === offered);
    return pageInMemory(all, query, keyOf);
  }

  /**
   * @returns the model; undefined where nobody offers it
   * @throws ApiError 404 where nobody offers it, unless it is forced
   */
  async disable(id: string, { force, ...change }: DisableModelDto, deed: Deed): Promise<CatalogueModel | undefined> {
    const { provider } = change;
    const model = force ? this.#withId(id) : this.get(id);
    const offer = model?.offers.find((one) => one.provider.id === provider);
    if (!force && provider !== undefined) found('offer', `${provider}/${id}`, offer);
    await this.switches.disable(id, change, deed);
    return this.catalogue.lookUp(id);
  }

  #isOffered({ model, provider }: ModelSwitch): boolean {
    const known = this.catalogue.lookUp(model);
    return known?.id === model && (provider === undefined || known.offers.some((offer) => offer.provider.id === provider));
  }

  /** @throws ApiError 404 for `provider/model`, which is found under another id, under which it is switched */
  #withId(id: string): CatalogueModel | undefined {
    const model = this.catalogue.lookUp(id);
    if (model && model.id !== id)
      throw new ApiError('not_found', `There is no model '${id}': it is the offer of one provider for '${model.id}'.`);
    return model;
  }
}

function keyOf({ model, provider = '' }: ModelSwitch): string {
  return `${model} ${provider}`;
}
