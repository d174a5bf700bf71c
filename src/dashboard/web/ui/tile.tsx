import { Card, Skeleton, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { useExactCredits } from './preferences';

interface TileProps {
  label: string;
  /** Absent: not known yet. */
  value: ReactNode;
  note?: ReactNode;
}

/** One number, with what it is. For who wants them exact, long numbers are smaller, and break where they must. */
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
          <Text fz={exact ? 'clamp(14px, 11cqi, 22px)' : 22} fw={600} lh="33px" className="numbers" truncate={!exact}>
            {value}
          </Text>
        )}
        <Text size="xs" c="dimmed" className="numbers" truncate={!exact}>
          {note ?? '\u00a0'}
        </Text>
      </Stack>
    </Card>
  );
}
