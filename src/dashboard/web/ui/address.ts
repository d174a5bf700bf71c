import { useSearchParams } from 'wouter';

/** Names the page of a list in an address. */
export const AFTER = 'after';

type Fields = Readonly<Record<string, string | null | undefined>>;

/** The fields of the page's address. A change of search or filter replaces it, and starts the list again. */
export function useAddress(): [params: URLSearchParams, change: (fields: Fields) => void] {
  const [params, setParams] = useSearchParams();
  const change = (fields: Fields) =>
    setParams((before) => withFields(before, { [AFTER]: undefined, ...fields }), { replace: true, state: history.state as unknown });
  return [params, change];
}

/** @param fields those that are empty are left out */
export function withFields(params: URLSearchParams, fields: Fields): URLSearchParams {
  const next = new URLSearchParams(params);
  for (const [name, value] of Object.entries(fields))
    if (value) next.set(name, value);
    else next.delete(name);
  return next;
}
