import { useQuery } from '@tanstack/react-query';
import { allPages } from './all-pages';
import { answerOf, api, type Schemas } from './client';

export type Model = Schemas['AccountModelView'];

/** The models that an account's rules allow. */
export function useModels(account: string) {
  return useQuery({
    queryKey: ['models', account],
    staleTime: 30_000,
    refetchInterval: 60_000,
    queryFn: () =>
      allPages((after) =>
        answerOf(api.GET('/admin/v1/accounts/{account}/models', { params: { path: { account }, query: { limit: 200, after } } })),
      ),
  });
}
