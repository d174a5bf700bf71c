import { answerOf, api, type Schemas } from '../../../api/client';
import { useList } from '../../../ui/list';

export type Offer = Schemas['OfferView'];

/** Milliseconds between two looks. */
const LIVE = 5_000;

/** Offers in the order of their models. */
export const useOffers = (filter: { model: string | undefined; provider: string | undefined }) =>
  useList(['operate', 'offers'], (part) => answerOf(api.GET('/admin/v1/offers', { params: { query: { ...filter, ...part } } })), {
    filter,
    refresh: LIVE,
  });
