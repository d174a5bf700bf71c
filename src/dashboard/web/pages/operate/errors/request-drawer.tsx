import { Box, Button, Drawer, Group, SimpleGrid, Stack, Text, Title } from '@mantine/core';
import { IconArrowRight } from '@tabler/icons-react';
import { Link } from 'wouter';
import { Fact } from '../../../ui/fact';
import { Answered } from '../../../ui/lists';
import { NoCalls } from '../../../ui/no-calls';
import { duration } from '../../../ui/numbers';
import { useOpened } from '../../../ui/opened';
import { RequestHead } from '../../../ui/request-head';
import { fullTime } from '../../../ui/times';
import { Chosen } from '../../../ui/values';
import { sentence } from '../../../ui/words';
import { type RequestDetail, useRequest } from './errors.api';
import { Name } from './group-drawer';

/** A request that ended in an error, as operators see it. */
export function RequestDrawer() {
  const [id, , onClose] = useOpened('request');
  return (
    <Drawer opened={id !== null} onClose={onClose} size={680} title="Request">
      {id !== null && <Loaded id={id} />}
    </Drawer>
  );
}

function Loaded({ id }: { id: string }) {
  const request = useRequest(id);
  return <Answered query={request}>{(loaded) => <Shown request={loaded} />}</Answered>;
}

function Shown({ request }: { request: RequestDetail }) {
  const { request_id, account_id, status, attempts } = request;
  return (
    <Stack gap="xl" pb="xl">
      <RequestHead request={request} />
      <SimpleGrid cols={{ base: 2, xs: 3 }} component="dl" m={0} className="numbers">
        <Fact name="Time">{fullTime(request.created_at)}</Fact>
        <Fact name="Duration">{duration(request.duration_ms)}</Fact>
        <Fact name="Organisation">
          <Name id={account_id} name={request.account_name} />
        </Fact>
        <Fact name="Key">
          <Name id={request.key_id} name={request.key_label} />
        </Fact>
        <Fact name="Environment">{sentence(request.environment ?? '–')}</Fact>
        <Fact name="Operation">{sentence(request.operation)}</Fact>
      </SimpleGrid>
      <Stack gap="sm" component="section" aria-label="Calls of providers">
        <Title order={3} size="h5">
          Calls of providers
        </Title>
        {attempts.length === 0 ? (
          <NoCalls status={status} />
        ) : (
          <Box component="ol" m={0} p={0} style={{ listStyle: 'none' }}>
            {attempts.map((attempt) => (
              <Attempt key={`${attempt.offer} ${attempt.started_ms}`} attempt={attempt} />
            ))}
          </Box>
        )}
      </Stack>
      {account_id !== null && (
        <Button
          component={Link}
          href={`/accounts/${encodeURIComponent(account_id)}/requests?request=${encodeURIComponent(request_id)}&environment=${request.environment ?? ''}`}
          variant="default"
          rightSection={<IconArrowRight size={16} />}
          style={{ alignSelf: 'flex-start' }}
        >
          Open it in the organisation’s requests
        </Button>
      )}
    </Stack>
  );
}

function Attempt({ attempt: { offer, outcome, status, total_ms, queue_ms } }: { attempt: RequestDetail['attempts'][number] }) {
  return (
    <Group component="li" justify="space-between" gap="sm" wrap="nowrap" py="xs" style={{ borderTop: '1px solid var(--line)' }}>
      <Text size="sm" fw={500} style={{ overflowWrap: 'anywhere' }}>
        <Chosen>{offer}</Chosen>
      </Text>
      <Text size="xs" c="dimmed" ta="right" className="numbers">
        {sentence(outcome)}
        {status !== null && ` (${status})`}
        {queue_ms !== null && queue_ms >= 1 && ` · waited ${duration(queue_ms)}`}
        {total_ms !== null && ` · ${duration(total_ms)}`}
      </Text>
    </Group>
  );
}
