import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { answerOf, api, type Schemas } from '../../api/client';
import { useAccount } from '../../shell/account';
import { useList } from '../../ui/list';
import { type Environment, useEnvironment } from '../../ui/preferences';
import type { Month } from './months';

export type StatementView = Schemas['StatementView'];
export type Webhook = Schemas['WebhookView'];
export type MailAlertView = Schemas['BalanceAlertView'];

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

/** Grants, and what each day has charged, newest first. */
export function useLedger() {
  const { id: account } = useAccount();
  const [environment] = useEnvironment();
  return useList(
    ['credits', account, 'ledger', environment],
    (part) =>
      answerOf(api.GET('/admin/v1/accounts/{account}/credits/ledger', { params: { path: { account }, query: { environment, ...part } } })),
    { limit: 20 },
  );
}

/** What was given and charged in a month. */
export function useStatement(month: Month) {
  const { id: account } = useAccount();
  const [environment] = useEnvironment();
  return useQuery({
    queryKey: ['credits', account, 'statement', environment, month],
    queryFn: () =>
      answerOf(api.GET('/admin/v1/accounts/{account}/credits/statement', { params: { path: { account }, query: { environment, month } } })),
  });
}

/** Where the statement of a month is saved from. */
export const statementAddress = (account: string, environment: Environment, month: Month): string =>
  `/admin/v1/accounts/${encodeURIComponent(account)}/credits/statement.csv?${new URLSearchParams({ environment, month })}`;

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

const mailAlertOf = (account: string) => ['credits', account, 'mail-alert'];

/** Whether whoever is signed in is told by mail. */
export function useMailAlert() {
  const { id: account } = useAccount();
  return useQuery({
    queryKey: mailAlertOf(account),
    queryFn: () => answerOf(api.GET('/admin/v1/accounts/{account}/credits/alert', { params: { path: { account } } })),
  });
}

export function useSetMailAlert() {
  const { id: account } = useAccount();
  const client = useQueryClient();
  return useMutation({
    mutationFn: (below: string) =>
      answerOf(
        api.PUT('/admin/v1/accounts/{account}/credits/alert', { params: { path: { account } }, body: { low_balance_below: below } }),
      ),
    onSuccess: (alert) => client.setQueryData(mailAlertOf(account), alert),
  });
}

export function useRemoveMailAlert() {
  const { id: account } = useAccount();
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => answerOf(api.DELETE('/admin/v1/accounts/{account}/credits/alert', { params: { path: { account } } })),
    onSuccess: (alert) => client.setQueryData(mailAlertOf(account), alert),
  });
}
