import { useQuery } from '@tanstack/react-query';
import { answerOf, api, type Schemas } from './client';

export type Model = Schemas['AccountModelView'];

/** Pages of 200 models that are read at most. */
const MAX_PAGES = 20;

/** The models that an account's rules allow. */
export function useModels(account: string) {
  return useQuery({
    queryKey: ['models', account],
    staleTime: 30_000,
    refetchInterval: 60_000,
    queryFn: async () => {
      const models: Model[] = [];
      let after: string | undefined;
      for (let page = 0; page < MAX_PAGES; page++) {
        const query = { limit: 200, after };
        const { data, next } = await answerOf(api.GET('/admin/v1/accounts/{account}/models', { params: { path: { account }, query } }));
        models.push(...data);
        if (next === null) break;
        after = next;
      }
      return models;
    },
  });
}
