import { Text } from '@mantine/core';
import { creditDecimals, creditsWith, exactCredits } from './numbers';
import { useExactCredits } from './preferences';
import { fullTime, when } from './times';

/** A text that somebody has chosen: it breaks where it must, and its direction of writing ends with it. */
export const Chosen = ({ children }: { children: string }) => <bdi style={{ overflowWrap: 'anywhere' }}>{children}</bdi>;

interface CreditsProps {
  value: string;
  unit?: boolean;
  /** Those of its column, all of which have as many decimals as the one that needs most. */
  among?: readonly string[];
}

/** An amount of credits. It is exact where one points at it, and everywhere where the reader prefers that. */
export function Credits({ value, unit = false, among }: CreditsProps) {
  const [exact] = useExactCredits();
  const decimals = Math.max(...(among ?? [value]).map((one) => creditDecimals(one, exact)));
  return (
    <span className="numbers" title={exact ? undefined : `${exactCredits(value)} credits`}>
      {creditsWith(value, decimals)}
      {unit && ' credits'}
    </span>
  );
}

/** A time in the reader's zone; exact where one points at it. */
export function Time({ value, fallback = 'Never' }: { value: string | null | undefined; fallback?: string }) {
  if (value == null)
    return (
      <Text span inherit c="dimmed">
        {fallback}
      </Text>
    );
  return (
    <time dateTime={value} title={fullTime(value)} className="numbers" style={{ whiteSpace: 'nowrap' }}>
      {when(value)}
    </time>
  );
}
