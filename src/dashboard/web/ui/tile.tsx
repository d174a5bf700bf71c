import { Card, Skeleton, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { useExactCredits } from './preferences';

interface TileProps {
  label: string;
  /** Absent: not known yet. */
  value: ReactNode;
  note?: ReactNode;
}

/** One number, with what it is. Where amounts are shown exactly, values are smaller in narrow tiles, and break where they must. */
export function Tile({ label, value, note }: TileProps) {
  const [exact] = useExactCredits();
  return (
    <Card
      padding="md"
      miw={0}
      role="group"
      aria-label={label}
      style={{ containerType: 'inline-size', overflowWrap: exact ? 'anywhere' : undefined }}
    >
      <Stack gap={2}>
        <Text size="xs" c="dimmed" fw={500}>
          {label}
        </Text>
        {value === undefined ? (
          <Skeleton height={26} my={4} width="70%" role="status" aria-label="Loading" />
        ) : (
          <Text fz={exact ? 'clamp(0.875rem, 11cqi, 1.375rem)' : 22} fw={600} lh="2.0625rem" className="numbers" truncate={!exact}>
            {value}
          </Text>
        )}
        <Text size="xs" c="dimmed" className="numbers">
          {note ?? '\u00a0'}
        </Text>
      </Stack>
    </Card>
  );
}
