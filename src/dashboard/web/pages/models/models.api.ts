import { useQuery } from '@tanstack/react-query';
import { answerOf, api } from '../../api/client';
import { useAccount } from '../../shell/account';

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
