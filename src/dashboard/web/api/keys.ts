import { keepPreviousData, type QueryKey, useQuery } from '@tanstack/react-query';
import { answerOf, api, type Schemas } from './client';

export type Key = Schemas['KeyView'];

/** What people call a key. */
export const nameOfKey = ({ label, display }: Pick<Key, 'label' | 'display'>): string => label || display;

/** What is shown in place of a name that is asked for. */
export const COMING = '…';

/** Some of a list, by their ids. */
export interface ById<T> {
  readonly known: ReadonlyMap<string, T>;
  /** Whether more of them may become known. */
  readonly waits: boolean;
}

/** At most 200 keys of an account, by their ids. */
export const useKeysById = (account: string, ids: readonly (string | null)[]) =>
  useById(['keys', account], ids, (query) =>
    answerOf(api.GET('/admin/v1/accounts/{account}/keys', { params: { path: { account }, query } })),
  );

/** What people call some of the keys of an account; of those that are gone, their ids. */
export function useKeyNames(account: string, ids: readonly (string | null)[]): (id: string | null) => string {
  const { known, waits } = useKeysById(account, ids);
  return (id) => {
    if (id === null) return 'No key';
    const key = known.get(id);
    return key ? nameOfKey(key) : waits ? COMING : id;
  };
}

/** At most 200 projects of an account, by their ids. */
export const useProjectsById = (account: string, ids: readonly (string | null)[]) =>
  useById(['projects', account], ids, (query) =>
    answerOf(api.GET('/admin/v1/accounts/{account}/projects', { params: { path: { account }, query } })),
  );

function useById<T extends { id: string }>(
  queryKey: QueryKey,
  some: readonly (string | null)[],
  read: (query: { ids: string[]; limit: number }) => Promise<{ data: readonly T[] }>,
): ById<T> {
  const ids = [...new Set(some)].filter((id): id is string => id !== null && id !== '').toSorted();
  const { data, isLoading, isPlaceholderData } = useQuery({
    queryKey: [...queryKey, 'by id', ids],
    enabled: ids.length > 0,
    staleTime: 60_000,
    placeholderData: keepPreviousData,
    queryFn: () => read({ ids, limit: ids.length }),
  });
  return { known: new Map(data?.data.map((one) => [one.id, one])), waits: isLoading || isPlaceholderData };
}
