import { Card, Title } from '@mantine/core';
import { Paged } from '../../ui/lists';
import { useLedger } from './credits.api';
import { type Line, LedgerLines } from './ledger-lines';

/** All that was given and charged, newest first. */
export function Ledger() {
  const shown = (lines: readonly Line[]) => (
    <LedgerLines lines={lines} empty="No credits yet: whoever operates this gateway gives them to accounts." />
  );
  return (
    <Card padding={0} component="section" aria-label="Ledger">
      <Title order={2} size="h5" p="md">
        Ledger
      </Title>
      <Paged list={useLedger()} one="entry" rows={3} empty={shown([])}>
        {shown}
      </Paged>
    </Card>
  );
}
