import { Card, Title } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useAccount } from '../../shell/account';
import { Answered, LoadMore } from '../../ui/lists';
import { useEnvironment } from '../../ui/preferences';
import { ledgerQuery } from './credits.api';
import { LedgerLines } from './ledger-lines';

/** All that was given and charged, newest first. */
export function Ledger() {
  const account = useAccount();
  const [environment] = useEnvironment();
  const ledger = useInfiniteQuery(ledgerQuery(account.id, environment));
  return (
    <Card padding={0} component="section" aria-label="Ledger">
      <Title order={2} size="h5" p="md">
        Ledger
      </Title>
      <Answered query={ledger} rows={3}>
        {({ pages }) => (
          <LedgerLines
            lines={pages.flatMap(({ data }) => data)}
            empty="No credits yet: whoever operates this gateway gives them to accounts."
          />
        )}
      </Answered>
      <LoadMore query={ledger} />
    </Card>
  );
}
