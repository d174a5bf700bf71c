import { Button, Card, Group, Table, Text, Title } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { IconCoins } from '@tabler/icons-react';
import { useAccount } from '../../shell/account';
import { useEnvironment } from '../../ui/preferences';
import { EmptyState, ErrorState, RowsLoading } from '../../ui/states';
import { Credits, Time } from '../../ui/values';
import { transfersQuery } from './credits.api';

/** What the account was given. */
export function Grants() {
  const account = useAccount();
  const [environment] = useEnvironment();
  const transfers = useInfiniteQuery(transfersQuery(account.id));
  const rows = (transfers.data?.pages.flatMap(({ data }) => data) ?? []).filter((one) => one.environment === environment);
  return (
    <Card padding={0} component="section" aria-label="Grants">
      <Title order={2} size="h5" p="md">
        Grants
      </Title>
      {transfers.isPending ? (
        <RowsLoading rows={3} />
      ) : transfers.isError ? (
        <ErrorState error={transfers.error} retry={() => void transfers.refetch()} />
      ) : rows.length === 0 ? (
        <EmptyState icon={IconCoins} title="No credits yet">
          Whoever operates this gateway gives credits to accounts.
        </EmptyState>
      ) : (
        <Table className="numbers" verticalSpacing="xs">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>When</Table.Th>
              <Table.Th>Note</Table.Th>
              <Table.Th ta="right">Credits</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {rows.map((row) => (
              <Table.Tr key={row.id}>
                <Table.Td>
                  <Time value={row.created_at} />
                </Table.Td>
                <Table.Td style={{ overflowWrap: 'anywhere' }}>
                  {row.note || (
                    <Text span size="sm" c="dimmed">
                      {row.kind}
                    </Text>
                  )}
                </Table.Td>
                <Table.Td ta="right">
                  <Credits value={row.amount} />
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      )}
      {transfers.hasNextPage && (
        <Group justify="center" p="md">
          <Button variant="default" loading={transfers.isFetchingNextPage} onClick={() => void transfers.fetchNextPage()}>
            Load more
          </Button>
        </Group>
      )}
    </Card>
  );
}
