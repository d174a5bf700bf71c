import { Box, Group, Stack, Text } from '@mantine/core';
import { NoCalls } from '../../ui/no-calls';
import { duration } from '../../ui/numbers';
import { sentence } from '../../ui/words';
import type { RequestDetail } from './requests.api';
import classes from './timeline.module.css';

type Call = RequestDetail['timeline'][number];

/** The calls of providers as bars over time; the part before the first token is lighter. */
export function Timeline({ request: { timeline, duration_ms, status } }: { request: RequestDetail }) {
  if (timeline.length === 0) return <NoCalls status={status} />;
  const end = Math.max(duration_ms ?? 0, ...timeline.map((call) => endOf(call)), 1);
  return (
    <Stack gap="sm" component="ol" m={0} p={0} style={{ listStyle: 'none' }}>
      {timeline.map((call, index) => (
        // Calls have no id, and nothing is ever put between them.
        // oxlint-disable-next-line react/no-array-index-key
        <Box component="li" key={index}>
          <Group justify="space-between" gap="sm" wrap="nowrap">
            <Text size="sm" fw={500} truncate>
              {call.provider}
            </Text>
            <Text size="xs" c="dimmed" className="numbers" ta="right">
              {sentence(call.outcome)}
              {call.status !== null && ` (${call.status})`}
              {call.first_token_ms !== null && ` · first token after ${duration(call.first_token_ms - call.started_ms)}`}
              {call.duration_ms !== null && ` · ${duration(call.duration_ms)}`}
            </Text>
          </Group>
          <Bar call={call} end={end} />
        </Box>
      ))}
      <Group justify="space-between" aria-hidden>
        <Text size="xs" c="dimmed">
          0
        </Text>
        <Text size="xs" c="dimmed">
          {duration(end)}
        </Text>
      </Group>
    </Stack>
  );
}

function Bar({ call, end }: { call: Call; end: number }) {
  const percent = (milliseconds: number): number => (milliseconds / end) * 100;
  const from = percent(call.started_ms);
  const width = Math.max(percent(endOf(call)) - from, 0.6);
  const waited = call.first_token_ms === null ? width : Math.min(percent(call.first_token_ms) - from, width);
  return (
    <Box className={classes.track} aria-hidden>
      <Box className={classes.bar} data-failed={call.outcome !== 'served' || undefined} style={{ left: `${from}%`, width: `${width}%` }}>
        <Box className={classes.waited} style={{ width: `${(waited / width) * 100}%` }} />
      </Box>
    </Box>
  );
}

/** All times but the duration are from the beginning of the request. */
const endOf = ({ started_ms, duration_ms, first_token_ms }: Call): number =>
  duration_ms === null ? (first_token_ms ?? started_ms) : started_ms + duration_ms;
