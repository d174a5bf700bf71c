import { Box, Button, Card, Group, Stack, Table, Text } from '@mantine/core';
import { infiniteQueryOptions, useInfiniteQuery } from '@tanstack/react-query';
import { IconHistory } from '@tabler/icons-react';
import { answerOf, api } from '../../api/client';
import { useAccount } from '../../shell/account';
import { Page } from '../../ui/page';
import { EmptyState, ErrorState, RowsLoading } from '../../ui/states';
import { Time } from '../../ui/values';
import { actorInWords, deedInWords, fieldsInWords, type Line } from './deeds';

/** Newest first, by pages. */
const auditQuery = (account: string) =>
  infiniteQueryOptions({
    queryKey: ['audit', account],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam }) =>
      answerOf(
        api.GET('/admin/v1/accounts/{account}/audit-log', { params: { path: { account }, query: { limit: 50, after: pageParam } } }),
      ),
    getNextPageParam: (page) => page.next ?? undefined,
  });

/** Who has changed what of the account. */
export default function AuditPage() {
  const account = useAccount();
  const log = useInfiniteQuery(auditQuery(account.id));
  const lines = log.data?.pages.flatMap(({ data }) => data) ?? [];
  return (
    <Page title="Audit log" description="Who has changed what of this account, in the dashboard, by the API and on the command line.">
      <Card padding={0}>
        {log.isPending ? (
          <RowsLoading rows={8} />
        ) : log.isError ? (
          <ErrorState error={log.error} retry={() => void log.refetch()} />
        ) : lines.length === 0 ? (
          <EmptyState icon={IconHistory} title="Nothing was changed yet">
            Each change of keys, projects, members and credits leaves a line here, without the values.
          </EmptyState>
        ) : (
          <Lines lines={lines} />
        )}
        {log.hasNextPage && (
          <Group justify="center" p="md">
            <Button variant="default" loading={log.isFetchingNextPage} onClick={() => void log.fetchNextPage()}>
              Load more
            </Button>
          </Group>
        )}
      </Card>
    </Page>
  );
}

/** Lines as rows, and on a phone as cards below one another. */
function Lines({ lines }: { lines: readonly Line[] }) {
  return (
    <>
      <Table.ScrollContainer minWidth={760} visibleFrom="sm">
        <Table verticalSpacing="xs">
          <Table.Thead>
            <Table.Tr>
              <Table.Th w={120}>When</Table.Th>
              <Table.Th>Who</Table.Th>
              <Table.Th>What</Table.Th>
              <Table.Th>Of what</Table.Th>
              <Table.Th>From</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {lines.map((line) => (
              <Table.Tr key={line.id}>
                <Table.Td>
                  <Time value={line.created_at} />
                </Table.Td>
                <Table.Td maw={240}>
                  <Text size="sm" truncate title={actorInWords(line)}>
                    {actorInWords(line)}
                  </Text>
                </Table.Td>
                <Table.Td maw={280}>
                  <Deed line={line} />
                </Table.Td>
                <Table.Td maw={240}>
                  <Subject line={line} />
                </Table.Td>
                <Table.Td>
                  <Text size="xs" c="dimmed" ff="monospace">
                    {line.address ?? ''}
                  </Text>
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
      <Stack gap={0} hiddenFrom="sm">
        {lines.map((line) => (
          <Box key={line.id} p="md" style={{ borderBottom: '1px solid var(--line)' }}>
            <Group justify="space-between" wrap="nowrap" align="flex-start">
              <Deed line={line} />
              <Text size="xs" c="dimmed">
                <Time value={line.created_at} />
              </Text>
            </Group>
            <Text size="xs" c="dimmed" mt={4} truncate>
              {actorInWords(line)}
            </Text>
            <Subject line={line} />
          </Box>
        ))}
      </Stack>
    </>
  );
}

function Deed({ line }: { line: Line }) {
  const fields = fieldsInWords(line);
  return (
    <Stack gap={0} miw={0}>
      <Text size="sm" fw={550} style={{ overflowWrap: 'anywhere' }}>
        {deedInWords(line)}
      </Text>
      {fields !== '' && (
        <Text size="xs" c="dimmed" truncate title={fields}>
          {fields}
        </Text>
      )}
    </Stack>
  );
}

function Subject({ line: { subject } }: { line: Line }) {
  return (
    <Text size="xs" c="dimmed" ff="monospace" truncate title={subject}>
      {subject}
    </Text>
  );
}
