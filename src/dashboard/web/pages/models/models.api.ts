import { useQuery } from '@tanstack/react-query';
import { answerOf, api } from '../../api/client';
import { modelQuery } from '../../api/models';
import { useAccount } from '../../shell/account';
import { useList } from '../../ui/list';

export type SortedBy = 'id' | 'context' | 'prompt' | 'completion' | 'latency' | 'speed' | 'uptime';
export type Capability = 'function_calling' | 'vision' | 'json_mode' | 'completion' | 'embeddings';

/** Which models are listed, in which order. */
export interface Wanted {
  readonly capabilities: Capability[] | undefined;
  readonly active: boolean;
  readonly order: SortedBy;
  readonly descending: boolean;
}

/** The models that an account's rules allow. */
export function useModels(wanted: Wanted) {
  const { id: account } = useAccount();
  return useList(
    ['models', account],
    (part) => answerOf(api.GET('/admin/v1/accounts/{account}/models', { params: { path: { account }, query: { ...wanted, ...part } } })),
    { filter: wanted, refresh: 60_000 },
  );
}

/** One model, with its history by the quarter of an hour. */
export function useModel(id: string | null) {
  const { id: account } = useAccount();
  return useQuery({ ...modelQuery(account, id ?? ''), enabled: id !== null });
}
