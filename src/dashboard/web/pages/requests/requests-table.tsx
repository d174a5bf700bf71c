import { Box, Group, Stack, Text, UnstyledButton, VisuallyHidden } from '@mantine/core';
import { count, duration } from '../../ui/numbers';
import { type Column, Rows } from '../../ui/rows';
import { Credits, Time } from '../../ui/values';
import { Outcome } from './outcome';
import type { RequestRow } from './requests.api';
import classes from './requests-table.module.css';

interface RequestsTableProps {
  requests: readonly RequestRow[];
  nameOfKey: (id: string | null) => string;
  onOpen: (id: string) => void;
}

/** Requests, newest first. */
export function RequestsTable({ requests, nameOfKey, onOpen }: RequestsTableProps) {
  return (
    <Rows
      label="Requests"
      rows={requests}
      keyOf={({ request_id }) => request_id}
      columns={columns(nameOfKey)}
      renderCard={(request) => <RequestCard request={request} onOpen={onOpen} />}
      onOpen={({ request_id }) => onOpen(request_id)}
      minWidth={860}
    />
  );
}

const columns = (nameOfKey: RequestsTableProps['nameOfKey']): Column<RequestRow>[] => [
  {
    title: 'Time',
    cell: ({ created_at }) => (
      // Its click is that of the row.
      <UnstyledButton className={classes.open}>
        <VisuallyHidden>Show the request of </VisuallyHidden>
        <Time value={created_at} />
      </UnstyledButton>
    ),
  },
  { title: 'Model', max: 240, cell: (request) => <Model request={request} /> },
  {
    title: 'Key',
    max: 170,
    cell: ({ key_id }) => (
      <Text size="sm" truncate title={nameOfKey(key_id)}>
        {nameOfKey(key_id)}
      </Text>
    ),
  },
  { title: 'Status', cell: (request) => <Outcome request={request} /> },
  { title: 'Tokens in', right: true, cell: ({ prompt_tokens }) => tokens(prompt_tokens) },
  { title: 'Tokens out', right: true, cell: ({ completion_tokens }) => tokens(completion_tokens) },
  { title: 'Duration', right: true, cell: ({ duration_ms }) => duration(duration_ms) },
  { title: 'Cost', right: true, cell: (request) => <Cost request={request} /> },
];

function RequestCard({ request, onOpen }: { request: RequestRow } & Pick<RequestsTableProps, 'onOpen'>) {
  return (
    <UnstyledButton w="100%" onClick={() => onOpen(request.request_id)}>
      <Group justify="space-between" wrap="nowrap" align="flex-start">
        <Model request={request} />
        <Outcome request={request} />
      </Group>
      <Group gap="md" mt={6} fz="xs" c="dimmed">
        <Time value={request.created_at} />
        <Box>{duration(request.duration_ms)}</Box>
        <Box>
          {tokens(request.prompt_tokens)} in, {tokens(request.completion_tokens)} out
        </Box>
        <Box>
          <Cost request={request} />
        </Box>
      </Group>
    </UnstyledButton>
  );
}

const tokens = (value: number | null): string => (value === null ? '–' : count(value));

const Cost = ({ request: { charged } }: { request: RequestRow }) => (charged === null ? '–' : <Credits value={charged} />);

function Model({ request: { model, provider, operation } }: { request: RequestRow }) {
  return (
    <Stack gap={0} miw={0}>
      <Text size="sm" fw={550} truncate title={model ?? ''}>
        {model ?? 'No model'}
      </Text>
      <Text size="xs" c="dimmed" truncate>
        {operation}
        {provider !== null && ` · ${provider}`}
      </Text>
    </Stack>
  );
}
