import { Badge, Card, Group, Stack, Text, Tooltip } from '@mantine/core';
import { infiniteQueryOptions, keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { IconHistory } from '@tabler/icons-react';
import { useSearchParams } from 'wouter';
import { answerOf, api, type Schemas } from '../../../api/client';
import { AccountSelect } from '../../../ui/account-select';
import { Answered, LoadMore } from '../../../ui/lists';
import { Page } from '../../../ui/page';
import { type Column, Rows } from '../../../ui/rows';
import { EmptyState } from '../../../ui/states';
import { Chosen, Time } from '../../../ui/values';
import { wordsFor } from './actions';

type Line = Schemas['AuditView'];

/** Lines of the log, newest first, by pages. */
const auditQuery = (account: string | null) =>
  infiniteQueryOptions({
    queryKey: ['operate', 'audit', account],
    initialPageParam: undefined as string | undefined,
    placeholderData: keepPreviousData,
    queryFn: ({ pageParam }) => {
      const query = { limit: 50, after: pageParam };
      return answerOf(
        account === null
          ? api.GET('/admin/v1/audit-log', { params: { query } })
          : api.GET('/admin/v1/accounts/{account}/audit-log', { params: { path: { account }, query } }),
      );
    },
    getNextPageParam: (page) => page.next ?? undefined,
  });

/** Who has changed what. */
export default function AuditPage() {
  const [params, setParams] = useSearchParams();
  const account = params.get('account');
  const lines = useInfiniteQuery(auditQuery(account));
  return (
    <Page
      title="All changes"
      description="Who has changed what, here, by the administration API and by the command line. Names of fields are kept, and never their values."
    >
      <Card padding={0}>
        <Answered
          query={lines}
          rows={8}
          above={
            <Group p="md">
              <AccountSelect
                placeholder="All organisations"
                value={account}
                onChange={(value) => setParams(value === null ? {} : { account: value }, { replace: true })}
              />
            </Group>
          }
        >
          {({ pages }) => {
            const all = pages.flatMap(({ data }) => data);
            return all.length === 0 ? (
              <EmptyState icon={IconHistory} title="Nothing was changed">
                Each change leaves a line here.
              </EmptyState>
            ) : (
              <Rows label="Changes" rows={all} keyOf={({ id }) => id} columns={columns} minWidth={900} />
            );
          }}
        </Answered>
        <LoadMore query={lines} />
      </Card>
    </Page>
  );
}

const columns: readonly Column<Line>[] = [
  {
    title: 'What',
    max: 300,
    cell: ({ action, fields }) => (
      <Stack gap={2} miw={0}>
        <Tooltip label={action} multiline maw={360}>
          <Text size="sm" fw={550} style={{ overflowWrap: 'anywhere' }}>
            {wordsFor(action)}
          </Text>
        </Tooltip>
        {fields.length > 0 && (
          <Text size="xs" c="dimmed" lineClamp={2}>
            <Chosen>{fields.join(', ')}</Chosen>
          </Text>
        )}
      </Stack>
    ),
  },
  {
    title: 'Of what',
    max: 240,
    cell: ({ subject, account_id }) => (
      <Stack gap={2} miw={0}>
        <Text size="sm" truncate title={subject}>
          <Chosen>{subject}</Chosen>
        </Text>
        {account_id !== null && account_id !== subject && (
          <Text size="xs" c="dimmed" truncate title={account_id}>
            in {account_id}
          </Text>
        )}
      </Stack>
    ),
  },
  {
    title: 'Who',
    max: 240,
    cell: ({ actor, actor_email, actor_kind, role }) => (
      <Stack gap={2} miw={0} align="flex-start">
        <Text size="sm" truncate maw="100%" title={actor ?? undefined}>
          <Chosen>{actor_email ?? actor ?? '–'}</Chosen>
        </Text>
        <Badge size="xs" color="gray">
          {kinds[actor_kind]}
          {role !== null && `, ${role}`}
        </Badge>
      </Stack>
    ),
  },
  { title: 'From', cell: ({ address }) => address ?? '–', leftOut: ({ address }) => address === null },
  { title: 'When', cell: ({ created_at }) => <Time value={created_at} /> },
];

const kinds: Record<Line['actor_kind'], string> = { token: 'Token', cli: 'Command line', user: 'Person' };
