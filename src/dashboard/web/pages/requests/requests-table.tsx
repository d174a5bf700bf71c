import { Box, Group, Text, VisuallyHidden } from '@mantine/core';
import { count, duration } from '../../ui/numbers';
import { Pair } from '../../ui/pair';
import { Outcome } from '../../ui/request-head';
import { type Column, Opener, Rows } from '../../ui/rows';
import { Credits, Time } from '../../ui/values';
import { sentence } from '../../ui/words';
import type { RequestRow } from './requests.api';

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
      renderCard={(request) => <RequestCard request={request} />}
      onOpen={({ request_id }) => onOpen(request_id)}
      minWidth={860}
      dense
    />
  );
}

const nameOfModel = ({ model }: RequestRow) => (
  <Text size="sm" fw={550} truncate title={model ?? ''}>
    {model ?? 'No model'}
  </Text>
);

const detailOf = ({ operation, provider }: RequestRow): string => sentence(operation) + (provider === null ? '' : ` · ${provider}`);

const columns = (nameOfKey: RequestsTableProps['nameOfKey']): Column<RequestRow>[] => [
  {
    title: 'Time',
    cell: ({ created_at }) => (
      <>
        <VisuallyHidden>Show the request of </VisuallyHidden>
        <Time value={created_at} />
      </>
    ),
  },
  { title: 'Model', max: 300, cell: nameOfModel, detail: detailOf },
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
  { title: 'Cost', right: true, cell: (request, all) => <Cost request={request} among={all.flatMap(({ charged }) => charged ?? [])} /> },
];

function RequestCard({ request }: { request: RequestRow }) {
  return (
    <>
      <Group justify="space-between" gap="xs" align="flex-start">
        <Pair detail={detailOf(request)}>
          <Opener>{nameOfModel(request)}</Opener>
        </Pair>
        <Outcome request={request} />
      </Group>
      <Group gap="4px 12px" mt={6} fz="xs" c="dimmed">
        <Time value={request.created_at} />
        <Box>{duration(request.duration_ms)}</Box>
        {request.prompt_tokens !== null && (
          <Box>
            {tokens(request.prompt_tokens)} in, {tokens(request.completion_tokens)} out
          </Box>
        )}
        <Box>
          <Cost request={request} unit />
        </Box>
      </Group>
    </>
  );
}

const tokens = (value: number | null): string => (value === null ? '–' : count(value));

const Cost = ({ request: { charged }, ...props }: { request: RequestRow; among?: string[]; unit?: boolean }) =>
  charged === null ? '–' : <Credits value={charged} {...props} />;
