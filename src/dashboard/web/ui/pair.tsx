import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './rows.module.css';

interface PairProps {
  children: ReactNode;
  /** Absent: there is nothing more to say. */
  detail: ReactNode;
  /** The whole of the detail, where it is more than a text. */
  title?: string;
}

/** What something is, with more about it: in one line within a table, and elsewhere below it. */
export function Pair({ children, detail, title }: PairProps) {
  return (
    <div className={classes.pair}>
      {children}
      {detail !== null && detail !== undefined && detail !== '' && detail !== false && (
        <Text size="xs" c="dimmed" className={classes.detail} title={title ?? (typeof detail === 'string' ? detail : undefined)}>
          {detail}
        </Text>
      )}
    </div>
  );
}
