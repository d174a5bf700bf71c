import { Button, Card, Group, Title } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useAccount } from '../../shell/account';
import { useEnvironment } from '../../ui/preferences';
import { ErrorState, RowsLoading } from '../../ui/states';
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
      {ledger.isPending ? (
        <RowsLoading rows={3} />
      ) : ledger.isError ? (
        <ErrorState error={ledger.error} retry={() => void ledger.refetch()} />
      ) : (
        <LedgerLines
          lines={ledger.data.pages.flatMap(({ data }) => data)}
          empty="No credits yet: whoever operates this gateway gives them to accounts."
        />
      )}
      {ledger.hasNextPage && (
        <Group justify="center" p="md">
          <Button variant="default" loading={ledger.isFetchingNextPage} onClick={() => void ledger.fetchNextPage()}>
            Load more
          </Button>
        </Group>
      )}
    </Card>
  );
}
