import { Injectable } from '@nestjs/common';
import { ModelNames } from '../../catalogue/model-names.js';
import { PriceStore, type StoredPrice } from '../../catalogue/price-store.js';
import { type Page, pageInMemory, type PageQuery } from '../../database/pages.js';
import type { OfferPageDto } from './price.dto.js';

@Injectable()
export class PricesService {
  constructor(
    private readonly prices: PriceStore,
    private readonly names: ModelNames,
  ) {}

  /** The prices in force at all gateways of the store, by model and provider. */
  async inForce({ model: name, provider, ...query }: OfferPageDto): Promise<Page<StoredPrice>> {
    const model = name && this.names.modelIdOf(name);
    const all = (await this.prices.current()).filter(
      (price) => (model === undefined || price.model === model) && (provider === undefined || price.provider === provider),
    );
    return pageInMemory(all, query, keyOf);
  }

  /** Newest first. */
  history(model: string, query: PageQuery): Promise<Page<StoredPrice>> {
    return this.prices.history(this.names.modelIdOf(model), query);
  }
}

function keyOf({ model, provider }: StoredPrice): string {
  return `${model} ${provider}`;
}
