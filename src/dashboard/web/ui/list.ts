import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useSearchParams } from 'wouter';
import { every } from '../api/live';
import { AFTER, useAddress, withFields } from './address';

interface ListPage<T> {
  readonly data: readonly T[];
  readonly next: string | null;
}

/** Which part of a list is read. */
interface Part {
  readonly limit: number;
  readonly after: string | undefined;
  readonly search: string | undefined;
}

interface Options {
  /** What else restricts or sorts the list. */
  readonly filter?: object;
  /** Rows of a page. */
  readonly limit?: number;
  /** Milliseconds after which the page that is shown is read again. */
  readonly refresh?: number | undefined;
  /** Whether the address has the search and the page: that of the main list of a page. */
  readonly inAddress?: boolean;
}

/**
 * One page of a list of the gateway.
 * @param queryKey of the list as a whole: while another part of it is read, the rows of before stay
 */
export function useList<T>(
  queryKey: readonly unknown[],
  read: (part: Part) => Promise<ListPage<T>>,
  { filter, limit = 50, refresh, inAddress = true }: Options = {},
) {
  const [params, setParams] = useSearchParams();
  const [, change] = useAddress();
  const [turned, setTurned] = useState<readonly string[]>([]);
  const after = (inAddress ? params.get(AFTER) : turned.at(-1)) ?? undefined;
  const search = (inAddress && params.get('search')) || undefined;
  const query = useQuery({
    queryKey: [...queryKey, { ...filter, after, search }],
    queryFn: () => read({ limit, after, search }),
    placeholderData: (shown, before) => (JSON.stringify(before?.queryKey.slice(0, -1)) === JSON.stringify(queryKey) ? shown : undefined),
    refetchInterval: refresh === undefined ? false : every(refresh),
  });
  const turn = (to: string | undefined): void =>
    setParams((before) => withFields(before, { [AFTER]: to }), { state: { turned: to !== undefined } });
  return {
    query,
    search: search ?? '',
    find: (text: string): void => change({ search: text }),
    isFirst: after === undefined,
    next: (): void => {
      const to = query.data?.next ?? undefined;
      if (inAddress) turn(to);
      else if (to !== undefined) setTurned([...turned, to]);
    },
    previous: (): void => {
      if (!inAddress) setTurned(turned.slice(0, -1));
      else if ((history.state as { turned?: boolean } | null)?.turned) history.back();
      else turn(undefined);
    },
  };
}

export type List<T> = ReturnType<typeof useList<T>>;
