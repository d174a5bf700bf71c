import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { answerOf, api, type Schemas } from '../../../api/client';
import { every } from '../../../api/live';

export type ErrorGroup = Schemas['ErrorGroupView'];
export type RequestDetail = Schemas['ShownRequestView'];

const HOUR = 3_600_000;

/** Errors of the last hours, in groups; those that most requests ended in come first. */
export function useErrors({ hours, account }: { hours: number; account: string | null }) {
  return useQuery({
    queryKey: ['operate', 'errors', hours, account],
    placeholderData: keepPreviousData,
    refetchInterval: every(15_000),
    queryFn: () => {
      // No more than 7 days are looked at, by the clock of the gateway.
      const from = new Date(Date.now() - Math.min(hours * HOUR, 7 * 24 * HOUR - HOUR / 60)).toISOString();
      return answerOf(api.GET('/admin/v1/errors', { params: { query: { from, limit: 200, ...(account !== null && { account }) } } }));
    },
    select: ({ data }) => data,
  });
}

/** One request, with the calls of providers. */
export function useRequest(request: string) {
  return useQuery({
    queryKey: ['operate', 'request', request],
    queryFn: () => answerOf(api.GET('/admin/v1/requests/{request}', { params: { path: { request } } })),
  });
}
