import { infiniteQueryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { answerOf, api, type Schemas } from '../../api/client';
import { useAccount } from '../../shell/account';
import { useEnvironment } from '../../ui/preferences';
import { boundsOf, type Month } from './months';

export type Transfer = Schemas['TransferView'];
export type Webhook = Schemas['WebhookView'];

export function useBalance() {
  const { id: account } = useAccount();
  const [environment] = useEnvironment();
  return useQuery({
    queryKey: ['credits', account],
    refetchInterval: 30_000,
    queryFn: () => answerOf(api.GET('/admin/v1/accounts/{account}/credits', { params: { path: { account } } })),
    select: ({ data }) => data.find((balance) => balance.environment === environment),
  });
}

/** What the account was given, newest first. */
export const transfersQuery = (account: string) =>
  infiniteQueryOptions({
    queryKey: ['credits', account, 'transfers'],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam }) =>
      answerOf(
        api.GET('/admin/v1/accounts/{account}/credits/transfers', {
          params: { path: { account }, query: { limit: 100, after: pageParam } },
        }),
      ),
    getNextPageParam: (page) => page.next ?? undefined,
  });

/** What was charged in a month, by model and key. */
export function useUsage(month: Month) {
  const { id: account } = useAccount();
  const [environment] = useEnvironment();
  const query = { ...boundsOf(month), environment, by: ['model' as const, 'key' as const] };
  return useQuery({
    queryKey: ['usage', account, 'month', environment, month],
    queryFn: () => answerOf(api.GET('/admin/v1/accounts/{account}/usage', { params: { path: { account }, query } })),
    select: ({ data }) => data,
  });
}

/** What was charged in a month, by component of the prices. */
export function useCharges(month: Month) {
  const { id: account } = useAccount();
  const [environment] = useEnvironment();
  return useQuery({
    queryKey: ['charges', account, environment, month],
    queryFn: () =>
      answerOf(
        api.GET('/admin/v1/accounts/{account}/charges', { params: { path: { account }, query: { ...boundsOf(month), environment } } }),
      ),
  });
}

/** What people call the keys of the account. */
export function useKeyNames(): (id: string | undefined) => string {
  const { id: account } = useAccount();
  const keys = useQuery({
    queryKey: ['key-names', account],
    staleTime: 60_000,
    queryFn: () => answerOf(api.GET('/admin/v1/accounts/{account}/keys', { params: { path: { account }, query: { limit: 200 } } })),
  });
  return (id) => {
    const key = keys.data?.data.find((one) => one.id === id);
    return key ? key.label || key.display : (id ?? '');
  };
}

/** Gives the account credits; for operators. */
export function useGrant() {
  const { id: account } = useAccount();
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: Schemas['Grant']) =>
      answerOf(api.POST('/admin/v1/accounts/{account}/credits/grants', { params: { path: { account } }, body })),
    onSuccess: () => void client.invalidateQueries({ queryKey: ['credits', account] }),
  });
}

const webhooksOf = (account: string) => ['webhooks', account];

export function useAlerts(enabled: boolean) {
  const { id: account } = useAccount();
  return useQuery({
    queryKey: webhooksOf(account),
    enabled,
    queryFn: () => answerOf(api.GET('/admin/v1/accounts/{account}/webhooks', { params: { path: { account }, query: { limit: 200 } } })),
    select: ({ data }) => data.filter(({ events }) => events.includes('balance.low')),
  });
}

export function useCreateAlert() {
  const { id: account } = useAccount();
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ url, below }: { url: string; below: string }) =>
      answerOf(
        api.POST('/admin/v1/accounts/{account}/webhooks', {
          params: { path: { account } },
          body: { url, events: ['balance.low'], low_balance_below: below },
        }),
      ),
    onSuccess: () => void client.invalidateQueries({ queryKey: webhooksOf(account) }),
  });
}

export function useDeleteAlert() {
  const { id: account } = useAccount();
  const client = useQueryClient();
  return useMutation({
    mutationFn: (webhook: string) =>
      answerOf(api.DELETE('/admin/v1/accounts/{account}/webhooks/{webhook}', { params: { path: { account, webhook } } })),
    onSuccess: () => void client.invalidateQueries({ queryKey: webhooksOf(account) }),
  });
}

export function useTestAlert() {
  const { id: account } = useAccount();
  return useMutation({
    mutationFn: (webhook: string) =>
      answerOf(api.POST('/admin/v1/accounts/{account}/webhooks/{webhook}/test', { params: { path: { account, webhook } } })),
  });
}
