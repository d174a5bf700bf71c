import { Badge, Box, Group, Progress, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { count, duration } from '../../../ui/numbers';
import type { Column } from '../../../ui/rows';
import { Chosen, Time } from '../../../ui/values';
import type { Offer } from './offers.api';

const speed = (value: number): string => value.toLocaleString('en', { maximumFractionDigits: 0 });

/** What is told of an offer. */
export const columns: readonly Column<Offer>[] = [
  {
    title: 'Offer',
    max: 320,
    cell: ({ model, provider, upstream_model }) => (
      <Stack gap={0} miw={0}>
        <Text size="sm" fw={550} truncate title={model}>
          <Chosen>{model}</Chosen>
        </Text>
        <Text size="xs" c="dimmed" truncate title={upstream_model}>
          {provider}
          {upstream_model !== model && (
            <>
              , there <Chosen>{upstream_model}</Chosen>
            </>
          )}
        </Text>
      </Stack>
    ),
  },
  { title: 'State', max: 260, cell: (offer) => <State offer={offer} /> },
  { title: 'Traffic', cell: ({ traffic }) => <Traffic traffic={traffic} /> },
  {
    title: 'First token',
    right: true,
    cell: ({ this_process: { first_token_ms } }) => (first_token_ms === null ? '–' : duration(first_token_ms)),
  },
  {
    title: 'Tokens/s',
    right: true,
    cell: ({ this_process: { tokens_per_second } }) => (tokens_per_second === null ? '–' : speed(tokens_per_second)),
  },
  {
    title: 'Queue',
    right: true,
    cell: ({ this_process: { running, waiting } }) => (
      <>
        <Text size="sm" style={{ whiteSpace: 'nowrap' }}>
          {count(running)} running
        </Text>
        <Text size="xs" c={waiting > 0 ? 'var(--mantine-color-orange-light-color)' : 'dimmed'} style={{ whiteSpace: 'nowrap' }}>
          {count(waiting)} waiting
        </Text>
      </>
    ),
  },
  {
    title: 'Uptime',
    right: true,
    cell: ({ performance: { uptime_percentage } }) => `${uptime_percentage.toLocaleString('en', { maximumFractionDigits: 2 })}%`,
  },
];

const reasons: Record<NonNullable<Offer['this_process']['breaker']['reason']>, string> = {
  failures: 'several organisations met failures',
  trials: 'trials after a pause have failed',
  probes: 'the gateway’s own probes have failed',
};

function State({ offer: { status, this_process } }: { offer: Offer }) {
  const { state, reason, retry_at, paused_accounts } = this_process.breaker;
  if (!status.active)
    return (
      <Told color="gray" word="Out of service">
        <Chosen>{status.message}</Chosen>
      </Told>
    );
  if (state === 'open')
    return (
      <Told color="red" word="Breaker open">
        {reason && `${reasons[reason]}; `}tried again <Time value={retry_at} fallback="soon" />
      </Told>
    );
  if (state === 'half_open')
    return (
      <Told color="orange" word="Breaker half open">
        Some requests try whether it answers again.
      </Told>
    );
  if (paused_accounts > 0)
    return (
      <Told color="yellow" word="In service">
        Paused for {count(paused_accounts)} {paused_accounts === 1 ? 'organisation' : 'organisations'}, whose own requests fail there.
      </Told>
    );
  return <Badge color="signal">In service</Badge>;
}

function Told({ color, word, children }: { color: string; word: string; children: ReactNode }) {
  return (
    <Stack gap={4} align="flex-start">
      <Badge color={color}>{word}</Badge>
      <Text size="xs" c="dimmed" lineClamp={3}>
        {children}
      </Text>
    </Stack>
  );
}

function Traffic({ traffic: { calls, share } }: Pick<Offer, 'traffic'>) {
  if (share === null)
    return (
      <Text span inherit c="dimmed">
        None
      </Text>
    );
  const percent = `${(share * 100).toLocaleString('en', { maximumFractionDigits: 1 })}%`;
  return (
    <Box miw={110} maw={160}>
      <Group justify="space-between" gap={6} wrap="nowrap">
        <Text size="xs">{percent}</Text>
        <Text size="xs" c="dimmed">
          {count(calls)} {calls === 1 ? 'call' : 'calls'}
        </Text>
      </Group>
      <Progress value={share * 100} size="sm" aria-label={`${percent} of the calls of the model`} />
    </Box>
  );
}
