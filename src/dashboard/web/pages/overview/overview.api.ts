import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { answerOf, api, type Schemas } from '../../api/client';
import { COMING, nameOfKey, useKeysById, useProjectsById } from '../../api/keys';
import { useAccount } from '../../shell/account';
import { useEnvironment } from '../../ui/preferences';
import { sentence } from '../../ui/words';
import { beginsOf, type Range } from './range';

export type Group = 'none' | 'model' | 'key' | 'project' | 'error';
export type Point = Schemas['SeriesPointView'];

/** Milliseconds after which what is shown is loaded anew. */
const REFRESH = 30_000;

/** How the requests of the account went over time. */
export function useSeries(range: Range, by: Group) {
  const { id: account } = useAccount();
  const [environment] = useEnvironment();
  return useQuery({
    queryKey: ['usage', account, 'series', environment, range.id, by],
    refetchInterval: REFRESH,
    placeholderData: keepPreviousData,
    queryFn: async () => {
      const begins = beginsOf(range);
      const query = { interval: range.interval, by, groups: 6, environment, from: new Date(begins[0]!).toISOString() };
      const { data } = await answerOf(api.GET('/admin/v1/accounts/{account}/usage/series', { params: { path: { account }, query } }));
      return { begins, points: data, by, range };
    },
  });
}

export type SeriesQuery = ReturnType<typeof useSeries>;
export type Series = NonNullable<SeriesQuery['data']>;

/** What the account had over time. */
export function useBalanceSeries(range: Range) {
  const { id: account } = useAccount();
  const [environment] = useEnvironment();
  return useQuery({
    queryKey: ['credits', account, 'series', environment, range.id],
    refetchInterval: REFRESH,
    placeholderData: keepPreviousData,
    queryFn: async () => {
      const begins = beginsOf(range);
      const query = { interval: range.interval, environment, from: new Date(begins[0]!).toISOString() };
      const answer = await answerOf(api.GET('/admin/v1/accounts/{account}/credits/series', { params: { path: { account }, query } }));
      return { begins, range, opening: answer.opening_balance, points: answer.data };
    },
  });
}

export type BalanceQuery = ReturnType<typeof useBalanceSeries>;
export type BalanceSeries = NonNullable<BalanceQuery['data']>;

export function useBalance() {
  const { id: account } = useAccount();
  const [environment] = useEnvironment();
  return useQuery({
    queryKey: ['credits', account],
    refetchInterval: REFRESH,
    queryFn: () => answerOf(api.GET('/admin/v1/accounts/{account}/credits', { params: { path: { account } } })),
    select: ({ data }) => data.find((balance) => balance.environment === environment),
  });
}

/** Whether the account has never asked anything; undefined: not known. @param enabled whether that may be */
export function useIsNew(enabled: boolean): boolean | undefined {
  const { id: account } = useAccount();
  const [environment] = useEnvironment();
  const first = useQuery({
    queryKey: ['requests', account, environment, 'any'],
    enabled,
    queryFn: () => {
      const query = { environment, limit: 1 };
      return answerOf(api.GET('/admin/v1/accounts/{account}/requests', { params: { path: { account }, query } }));
    },
  });
  return enabled ? first.data && first.data.data.length === 0 : false;
}

/** What people call the groups of points. @returns undefined while none of them is known */
export function useGroupNames(by: Group, points: readonly Point[] = []): ((group: string | null) => string) | undefined {
  const { id: account } = useAccount();
  const groups = points.map(({ group }) => group);
  const keys = useKeysById(account, by === 'key' ? groups : []);
  const projects = useProjectsById(account, by === 'project' ? groups : []);
  const waits = keys.waits || projects.waits;
  if (waits && keys.known.size + projects.known.size === 0) return undefined;
  return (group) => {
    if (group === null) return by === 'none' ? 'All' : 'Others';
    if (by === 'error') return sentence(group);
    if (by === 'project' && group === '') return 'No project';
    const key = keys.known.get(group);
    return key ? nameOfKey(key) : (projects.known.get(group)?.name ?? (waits ? COMING : group));
  };
}

/** Makes a key to try the gateway with. */
export async function makeFirstKey(account: string, environment: 'live' | 'test'): Promise<string> {
  const body = { label: 'First steps', environment };
  const { key } = await answerOf(api.POST('/admin/v1/accounts/{account}/keys', { params: { path: { account } }, body }));
  return key ?? '';
}
