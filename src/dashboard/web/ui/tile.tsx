import { Card, Skeleton, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';

interface TileProps {
  label: string;
  /** Absent: not known yet. */
  value: ReactNode;
  note?: ReactNode;
}

/** One number, with what it is. */
export function Tile({ label, value, note }: TileProps) {
  return (
    <Card padding="md" miw={0} role="group" aria-label={label}>
      <Stack gap={2}>
        <Text size="xs" c="dimmed" fw={500}>
          {label}
        </Text>
        {value === undefined ? (
          <Skeleton height={26} my={4} width="70%" role="status" aria-label="Loading" />
        ) : (
          <Text fz={22} fw={600} lh={1.5} className="numbers" truncate>
            {value}
          </Text>
        )}
        <Text size="xs" c="dimmed" className="numbers" truncate>
          {note ?? '\u00a0'}
        </Text>
      </Stack>
    </Card>
  );
}
