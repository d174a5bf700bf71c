import { useSearchParams } from 'wouter';

/**
 * What is opened over a page, as its address says it: the browser's Back goes from it to the page.
 * @param name of the parameter that has its id
 */
export function useOpened(name: string): [id: string | null, open: (id: string) => void, close: () => void] {
  const [params, setParams] = useSearchParams();
  const withId = (id: string | undefined): URLSearchParams => {
    const next = new URLSearchParams(params);
    if (id === undefined) next.delete(name);
    else next.set(name, id);
    return next;
  };
  const close = (): void => {
    if ((history.state as { opened?: boolean } | null)?.opened) history.back();
    else setParams(withId(undefined), { replace: true });
  };
  return [params.get(name), (id) => setParams(withId(id), { state: { opened: true } }), close];
}
