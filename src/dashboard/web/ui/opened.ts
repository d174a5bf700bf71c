import { useSearchParams } from 'wouter';
import { withFields } from './address';

/**
 * What is opened over a page, as its address says it: the browser's Back goes from it to the page.
 * @param name of the parameter that has its id
 */
export function useOpened(name: string): [id: string | null, open: (id: string) => void, close: () => void] {
  const [params, setParams] = useSearchParams();
  const close = (): void => {
    if ((history.state as { opened?: boolean } | null)?.opened) history.back();
    else setParams(withFields(params, { [name]: undefined }), { replace: true });
  };
  return [params.get(name), (id) => setParams(withFields(params, { [name]: id }), { state: { opened: true } }), close];
}
