import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { answerOf, api, type Schemas } from '../../../api/client';
import { every } from '../../../api/live';
import { useList } from '../../../ui/list';

export type ErrorGroup = Schemas['ErrorGroupView'];
export type ErrorRequest = Schemas['ExplainedRequestView'];
export type RequestDetail = Schemas['ShownRequestView'];

const HOUR = 3_600_000;

/** Requests of the last hours, and of one organisation; null: of all. */
interface Which {
  readonly hours: number;
  readonly account: string | null;
}

/** No more than 7 days are looked at, by the clock of the gateway. */
const asked = ({ hours, account }: Which) => ({
  from: new Date(Date.now() - Math.min(hours * HOUR, 7 * 24 * HOUR - HOUR / 60)).toISOString(),
  ...(account !== null && { account }),
});

/** Errors of the last hours, in groups; those that most requests ended in come first. */
export function useErrors({ hours, account }: Which) {
  return useQuery({
    queryKey: ['operate', 'errors', hours, account],
    placeholderData: keepPreviousData,
    refetchInterval: every(15_000),
    queryFn: () => answerOf(api.GET('/admin/v1/errors', { params: { query: { ...asked({ hours, account }), limit: 200 } } })),
    select: ({ data }) => data,
  });
}

/** The requests of a group, newest first. */
export const useRequestsOf = (group: string, which: Which) =>
  useList(
    ['operate', 'errors', group, which],
    (part) => answerOf(api.GET('/admin/v1/requests', { params: { query: { ...asked(which), error_group: group, ...part } } })),
    { inAddress: false },
  );

/** One request, with the calls of providers. */
export function useRequest(request: string) {
  return useQuery({
    queryKey: ['operate', 'request', request],
    queryFn: () => answerOf(api.GET('/admin/v1/requests/{request}', { params: { path: { request } } })),
  });
}
