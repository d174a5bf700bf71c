import { useLocalStorage } from '@mantine/hooks';
import { useEffect } from 'react';
import { useLocation, useSearchParams } from 'wouter';
import { AFTER, withFields } from './address';

export type Environment = 'live' | 'test';

/** What one chooses among. */
export const environments: { value: Environment; label: string }[] = [
  { value: 'live', label: 'Live' },
  { value: 'test', label: 'Test' },
];

const IN_ADDRESS = 'environment';

/** Which of an account's two environments the pages show: that of the address, or the one that was chosen last. */
export function useEnvironment(): [Environment, (environment: Environment) => void] {
  const [last, remember] = useLocalStorage<Environment>({
    key: 'switchyard.environment',
    defaultValue: 'live',
    getInitialValueInEffect: false,
  });
  const [params, setParams] = useSearchParams();
  const choose = (environment: Environment): void => {
    remember(environment);
    // Each environment has lists of its own.
    const named = params.get(IN_ADDRESS);
    const fields = { [IN_ADDRESS]: environment, ...(named !== null && named !== environment && { [AFTER]: undefined }) };
    setParams(withFields(params, fields), { replace: true, state: history.state as unknown });
  };
  return [(params.get(IN_ADDRESS) ?? last) === 'test' ? 'test' : 'live', choose];
}

/** Has the addresses of an account's pages name the environment. */
export function useEnvironmentInAddress(): void {
  const [location] = useLocation();
  const [params] = useSearchParams();
  const [environment, choose] = useEnvironment();
  const named = params.get(IN_ADDRESS);
  useEffect(() => {
    if (location.startsWith('/accounts/')) choose(environment);
    // What it does depends on these alone.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [location, named]);
}

/** Whether credits are shown to the billionth. */
export function useExactCredits(): [boolean, (exact: boolean) => void] {
  const [exact, choose] = useLocalStorage<boolean>({
    key: 'switchyard.exact-credits',
    defaultValue: false,
    getInitialValueInEffect: false,
  });
  return [exact, choose];
}
