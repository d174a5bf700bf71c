import { keepPreviousData, type QueryKey, useQuery } from '@tanstack/react-query';
import { answerOf, api, type Schemas } from './client';

export type Key = Schemas['KeyView'];

/** What people call a key. */
export const nameOfKey = ({ label, display }: Pick<Key, 'label' | 'display'>): string => label || display;

/** At most 200 keys of an account, by their ids. */
export const useKeysById = (account: string, ids: readonly (string | null)[]) =>
  useById(['keys', account], ids, (query) =>
    answerOf(api.GET('/admin/v1/accounts/{account}/keys', { params: { path: { account }, query } })),
  );

/** What people call some of the keys of an account: their ids, until the names are known. */
export function useKeyNames(account: string, ids: readonly (string | null)[]): (id: string | null) => string {
  const keys = useKeysById(account, ids);
  return (id) => {
    const key = keys.get(id ?? '');
    return key ? nameOfKey(key) : (id ?? 'No key');
  };
}

/** At most 200 projects of an account, by their ids. */
export const useProjectsById = (account: string, ids: readonly (string | null)[]) =>
  useById(['projects', account], ids, (query) =>
    answerOf(api.GET('/admin/v1/accounts/{account}/projects', { params: { path: { account }, query } })),
  );

/** @returns those that are known yet */
function useById<T extends { id: string }>(
  queryKey: QueryKey,
  some: readonly (string | null)[],
  read: (query: { ids: string[]; limit: number }) => Promise<{ data: readonly T[] }>,
): ReadonlyMap<string, T> {
  const ids = [...new Set(some)].filter((id): id is string => id !== null && id !== '').toSorted();
  const { data } = useQuery({
    queryKey: [...queryKey, 'by id', ids],
    enabled: ids.length > 0,
    staleTime: 60_000,
    placeholderData: keepPreviousData,
    queryFn: () => read({ ids, limit: ids.length }),
  });
  return new Map(data?.data.map((one) => [one.id, one]));
}
