import { Get, Query } from '@nestjs/common';
import { Roles } from '../../auth/administration/roles.decorator.js';
import type { CatalogueModel } from '../../catalogue/catalogue-model.js';
import { CatalogueService } from '../../catalogue/catalogue.service.js';
import { LivePerformance } from '../../catalogue/live-performance.js';
import type { Offer } from '../../catalogue/offer.js';
import { pageInMemory } from '../../database/pages.js';
import { RouterService } from '../../inference/routing/router.service.js';
import { AdminController } from '../route.decorators.js';
import { type PageView, pageView } from '../page.dto.js';
import { OfferPageDto } from '../prices/price.dto.js';
import { type OfferView, offerView, type TrafficView } from './offer.dto.js';

interface ListedOffer {
  readonly model: CatalogueModel;
  readonly offer: Offer;
}

@AdminController('offers')
export class OffersController {
  constructor(
    private readonly catalogue: CatalogueService,
    private readonly router: RouterService,
    private readonly performance: LivePerformance,
  ) {}

  /**
   * Lists the offers of all models with how they are doing: breakers and calls at the process that answers, which is
   * one of several where several share the store or the port, and the performance at all of them.
   * @returns a page of them, in the order of the models, those of one model in the order of preference
   */
  @Get()
  @Roles('operator')
  async list(@Query() { model, provider, ...query }: OfferPageDto): Promise<PageView<OfferView>> {
    const page = pageInMemory(this.#offers(model, provider), query, (one) => one.model.id);
    return pageView(page, ({ model: { modelId, offers }, offer }) =>
      offerView(modelId, offer, this.router.knownHealthOf(offer), this.performance.read([offer]), this.#traffic(offer, offers)),
    );
  }

  #traffic(offer: Offer, offers: readonly Offer[]): TrafficView {
    const [own, all] = [[offer], offers].map((some) => {
      const { served, failed } = this.performance.totals(some);
      return served + failed;
    }) as [number, number];
    return { calls: own, share: all > 0 ? Math.round((own / all) * 10_000) / 10_000 : null };
  }

  *#offers(model: string | undefined, provider: string | undefined): Generator<ListedOffer> {
    const models = model === undefined ? this.catalogue.all() : [this.catalogue.lookUp(model) ?? []].flat();
    for (const one of models)
      for (const offer of one.offers) if (provider === undefined || offer.provider.id === provider) yield { model: one, offer };
  }
}
