import { useQuery } from '@tanstack/react-query';
import { answerOf, api, type Schemas } from '../../api/client';
import { useAccount } from '../../shell/account';

export type Model = Schemas['AccountModelView'];

/** Pages of 200 models that are read at most. */
const MAX_PAGES = 20;

/** The models that the account's rules allow. */
export function useModels() {
  const { id: account } = useAccount();
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

/** One model, with its history by the quarter of an hour. */
export function useModel(id: string | null) {
  const { id: account } = useAccount();
  return useQuery({
    queryKey: ['model', account, id],
    enabled: id !== null,
    refetchInterval: 60_000,
    queryFn: () => answerOf(api.GET('/admin/v1/accounts/{account}/models/{model}', { params: { path: { account, model: id! } } })),
  });
}
