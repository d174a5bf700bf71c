import { useQuery } from '@tanstack/react-query';
import { answerOf, api, type Schemas } from '../../api/client';
import { useAccount } from '../../shell/account';
import { useList } from '../../ui/list';
import type { Environment } from '../../ui/preferences';

export type RequestRow = Schemas['RequestView'];
export type RequestDetail = Schemas['ShownAccountRequestView'];

/** Which requests are shown; what is absent restricts nothing. */
export interface Filter {
  /** The id of a request, or its beginning. */
  id?: string;
  key?: string;
  project?: string;
  model?: string;
  failed?: boolean;
  /** HTTP status of the answer. */
  status?: number;
  /** Only those of the last so many hours. */
  hours?: number;
}

const HOUR = 3_600_000;

/** The requests of an account, newest first. @param refresh milliseconds between two looks for new ones */
export function useRequests(environment: Environment, { hours, ...filter }: Filter, refresh: number | undefined) {
  const { id: account } = useAccount();
  return useList(
    ['requests', account, environment],
    (part) => {
      const from = hours === undefined ? undefined : new Date(Date.now() - hours * HOUR).toISOString();
      const query = { ...filter, environment, from, ...part };
      return answerOf(api.GET('/admin/v1/accounts/{account}/requests', { params: { path: { account }, query } }));
    },
    { filter: { ...filter, hours }, refresh },
  );
}

/** One request, explained. */
export function useRequest(id: string | null) {
  const { id: account, role } = useAccount();
  return useQuery({
    queryKey: ['request', account, id],
    enabled: id !== null,
    queryFn: () =>
      answerOf(
        api.GET('/admin/v1/accounts/{account}/requests/{request}', {
          params: { path: { account, request: id! }, query: { text: role !== 'viewer' } },
        }),
      ),
  });
}

export type ExportForm = 'csv' | 'jsonl';

/** The address of a file of what a filter finds. */
export function exportAddress(account: string, form: ExportForm, { hours, ...filter }: Filter, environment: Environment): string {
  const params = new URLSearchParams({ environment });
  for (const [name, value] of Object.entries(filter)) if (value !== undefined) params.set(name, String(value));
  if (hours !== undefined) params.set('from', new Date(Date.now() - hours * HOUR).toISOString());
  return `/admin/v1/accounts/${encodeURIComponent(account)}/requests.${form}?${params}`;
}
