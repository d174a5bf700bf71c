import { infiniteQueryOptions, keepPreviousData } from '@tanstack/react-query';
import { answerOf, api, type Schemas } from '../../../api/client';
import { every } from '../../../api/live';

export type Offer = Schemas['OfferView'];

/** Milliseconds between two looks. */
const LIVE = 5_000;

/** Offers in the order of their models, by pages. */
export const offersQuery = (filter: { model: string | undefined; provider: string | undefined }) =>
  infiniteQueryOptions({
    queryKey: ['operate', 'offers', filter],
    initialPageParam: undefined as string | undefined,
    placeholderData: keepPreviousData,
    queryFn: ({ pageParam }) => answerOf(api.GET('/admin/v1/offers', { params: { query: { ...filter, limit: 50, after: pageParam } } })),
    getNextPageParam: (page) => page.next ?? undefined,
    // More than a page would be loaded anew each time.
    refetchInterval: (query) => (query.state.data?.pages.length === 1 ? every(LIVE)(query) : false),
  });
