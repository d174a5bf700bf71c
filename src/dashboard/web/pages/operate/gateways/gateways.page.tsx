import { Badge, Card, SimpleGrid, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { IconServer } from '@tabler/icons-react';
import { answerOf, api, type Schemas } from '../../../api/client';
import { every } from '../../../api/live';
import { Answered } from '../../../ui/lists';
import { count } from '../../../ui/numbers';
import { Page } from '../../../ui/page';
import { type Column, Rows } from '../../../ui/rows';
import { EmptyState } from '../../../ui/states';
import { Tile } from '../../../ui/tile';
import { Time } from '../../../ui/values';

type Gateway = Schemas['GatewayView'];

/** Milliseconds between two looks. */
const LIVE = 5_000;

/** The processes that answer. */
export default function GatewaysPage() {
  const gateways = useQuery({
    queryKey: ['operate', 'gateways'],
    refetchInterval: every(LIVE),
    queryFn: async () => (await answerOf(api.GET('/admin/v1/gateways', { params: { query: { limit: 200 } } }))).data,
  });
  return (
    <Page
      title="Gateways"
      description="The processes that share this store. With several workers, each of them is one. One that ends orderly leaves the list; one that says nothing for 35 seconds is not alive."
    >
      <Answered query={gateways}>
        {(all) => {
          const alive = all.filter((one) => one.alive);
          const versions = new Set(alive.map(({ version }) => version));
          return (
            <>
              <SimpleGrid cols={{ base: 2, md: 4 }} spacing={{ base: 'sm', sm: 'md' }}>
                <Tile label="Alive" value={count(alive.length)} note={`of ${all.length} in the last hour`} />
                <Tile label="Machines" value={count(new Set(alive.map(({ host }) => host)).size)} note="with a process that is alive" />
                <Tile
                  label="Open requests"
                  value={count(alive.reduce((sum, { open_requests }) => sum + open_requests, 0))}
                  note="when they were last seen"
                />
                <Tile label={versions.size > 1 ? 'Versions' : 'Version'} value={[...versions].join(', ') || '–'} note="of what is alive" />
              </SimpleGrid>
              <Card padding={0}>
                {all.length === 0 ? (
                  <EmptyState icon={IconServer} title="No process has said anything yet">
                    It takes a few seconds after a start.
                  </EmptyState>
                ) : (
                  <Rows label="Processes" rows={all} keyOf={({ id }) => id} columns={columns} />
                )}
              </Card>
            </>
          );
        }}
      </Answered>
    </Page>
  );
}

const columns: readonly Column<Gateway>[] = [
  {
    title: 'Process',
    max: 320,
    cell: ({ host }) => (
      <Text size="sm" fw={550} truncate title={host}>
        {host}
      </Text>
    ),
    detail: ({ pid, this_process }) => (
      <>
        Process {pid} {this_process && <Badge size="xs">Answers you</Badge>}
      </>
    ),
  },
  {
    title: 'Status',
    cell: ({ alive }) => <Badge color={alive ? 'signal' : 'red'}>{alive ? 'Alive' : 'Not alive'}</Badge>,
  },
  { title: 'Version', cell: ({ version }) => version },
  { title: 'Open requests', right: true, cell: ({ open_requests }) => count(open_requests) },
  { title: 'Started', cell: ({ started_at }) => <Time value={started_at} /> },
  { title: 'Last seen', cell: ({ last_seen_at }) => <Time value={last_seen_at} /> },
];
