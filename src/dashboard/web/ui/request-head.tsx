import { Alert, Badge, Group, Stack, Text, Title } from '@mantine/core';
import type { Schemas } from '../api/client';
import { CopyIcon } from './copy';
import { Chosen } from './values';
import { sentence } from './words';

type Ended = Pick<Schemas['RequestView'], 'request_id' | 'model' | 'status' | 'outcome' | 'error_code' | 'error_message'>;

const words: Record<string, string> = {
  completed: 'OK',
  refused: 'Refused',
  client_left: 'Client left',
};

function colorOf({ status, outcome, error_code }: Ended): string {
  if (error_code === null && (status ?? 0) < 400) return outcome === 'completed' ? 'signal' : 'gray';
  return (status ?? 0) >= 500 ? 'red' : 'orange';
}

/** How a request ended. */
export function Outcome({ request }: { request: Ended }) {
  const { status, outcome, error_code } = request;
  const failed = error_code !== null || (status ?? 0) >= 400;
  return (
    <Badge color={colorOf(request)} maw={230} title={request.error_message ?? outcome}>
      {failed ? `${status} ${sentence(error_code ?? outcome)}` : (words[outcome] ?? sentence(outcome))}
    </Badge>
  );
}

/** The model of a request, its id, how it ended and, where it failed, what the client has read. */
export function RequestHead({ request }: { request: Ended }) {
  const { request_id, model, error_message } = request;
  return (
    <Stack gap={6}>
      <Group gap="sm">
        <Title order={2} size="h3">
          <Chosen>{model ?? 'No model'}</Chosen>
        </Title>
        <Outcome request={request} />
      </Group>
      <Group gap={6} wrap="nowrap">
        <Text size="xs" ff="monospace" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
          {request_id}
        </Text>
        <CopyIcon text={request_id} label="Copy the request id" />
      </Group>
      {error_message !== null && (
        <Alert color={colorOf(request)} role="note" aria-label="Error" style={{ overflowWrap: 'anywhere' }}>
          {error_message}
        </Alert>
      )}
    </Stack>
  );
}
