import { Badge, Box, Group, Progress, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { count, duration } from '../../../ui/numbers';
import { Pair } from '../../../ui/pair';
import type { Column } from '../../../ui/rows';
import { Chosen, Time } from '../../../ui/values';
import type { Offer } from './offers.api';

const speed = (value: number): string => value.toLocaleString('en', { maximumFractionDigits: 0 });

/** What is told of an offer. */
export const columns: readonly Column<Offer>[] = [
  {
    title: 'Offer',
    max: 320,
    cell: ({ model }) => (
      <Text size="sm" fw={550} truncate title={model}>
        <Chosen>{model}</Chosen>
      </Text>
    ),
    detail: ({ model, provider, upstream_model }) =>
      upstream_model === model ? (
        provider
      ) : (
        <>
          {provider}, there <Chosen>{upstream_model}</Chosen>
        </>
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
      <Text size="sm" c={waiting > 0 ? 'var(--mantine-color-orange-light-color)' : undefined} style={{ whiteSpace: 'nowrap' }}>
        {count(running)} running{waiting > 0 && `, ${count(waiting)} waiting`}
      </Text>
    ),
  },
  {
    title: 'Uptime',
    right: true,
    cell: ({ traffic, performance }) => (traffic.calls === 0 ? '–' : percent(performance.uptime_percentage)),
  },
];

const reasons: Record<NonNullable<Offer['this_process']['breaker']['reason']>, string> = {
  failures: 'several organisations met failures',
  trials: 'trials after a pause have failed',
  probes: 'the gateway’s own probes have failed',
};

/** Per cent of the calls below which an offer is failing, although its breaker lets requests through. */
const FAILING = 90;

function State({ offer: { status, this_process, traffic, performance } }: { offer: Offer }) {
  const { state, reason, retry_at, paused_accounts } = this_process.breaker;
  if (!status.active)
    return (
      <Reported color="gray" word="Out of service" title={status.message}>
        <Chosen>{status.message}</Chosen>
      </Reported>
    );
  if (state === 'open')
    return (
      <Reported color="red" word="Breaker open">
        {reason && `${reasons[reason]}; `}tried again <Time value={retry_at} fallback="soon" />
      </Reported>
    );
  if (state === 'half_open')
    return (
      <Reported color="orange" word="Breaker half open">
        Some requests try whether it answers again.
      </Reported>
    );
  if (traffic.calls > 0 && performance.uptime_percentage < FAILING)
    return (
      <Reported color="orange" word="Failing">
        {percent(100 - performance.uptime_percentage)} of its calls have failed.
      </Reported>
    );
  if (paused_accounts > 0)
    return (
      <Reported color="yellow" word="In service">
        Paused for {count(paused_accounts)} {paused_accounts === 1 ? 'organisation' : 'organisations'}, whose own requests fail there.
      </Reported>
    );
  return <Badge color="signal">In service</Badge>;
}

function Reported({ color, word, title, children }: { color: string; word: string; title?: string; children: ReactNode }) {
  return (
    <Pair detail={children} title={title}>
      <Badge color={color}>{word}</Badge>
    </Pair>
  );
}

const percent = (value: number): string => `${value.toLocaleString('en', { maximumFractionDigits: 2 })}%`;

function Traffic({ traffic: { calls, share } }: Pick<Offer, 'traffic'>) {
  if (share === null)
    return (
      <Text span inherit c="dimmed">
        None
      </Text>
    );
  const shown = percent(share * 100);
  return (
    <Box miw={110} maw={160}>
      <Group justify="space-between" gap={6} wrap="nowrap">
        <Text size="xs">{shown}</Text>
        <Text size="xs" c="dimmed">
          {count(calls)} {calls === 1 ? 'call' : 'calls'}
        </Text>
      </Group>
      <Progress value={share * 100} size="sm" aria-label={`${shown} of the calls of the model`} />
    </Box>
  );
}
