import { useLocalStorage } from '@mantine/hooks';

export type Environment = 'live' | 'test';

/** What one chooses among. */
export const environments: { value: Environment; label: string }[] = [
  { value: 'live', label: 'Live' },
  { value: 'test', label: 'Test' },
];

/** Which of an account's two environments the pages show. */
export function useEnvironment(): [Environment, (environment: Environment) => void] {
  const [environment, choose] = useLocalStorage<Environment>({
    key: 'switchyard.environment',
    defaultValue: 'live',
    getInitialValueInEffect: false,
  });
  return [environment === 'test' ? 'test' : 'live', choose];
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
