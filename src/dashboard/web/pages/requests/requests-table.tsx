import { Box, Group, Stack, Table, Text, UnstyledButton, VisuallyHidden } from '@mantine/core';
import { count, duration } from '../../ui/numbers';
import { Credits, Time } from '../../ui/values';
import { Outcome } from './outcome';
import type { RequestRow } from './requests.api';
import classes from './requests-table.module.css';

interface RequestsTableProps {
  requests: readonly RequestRow[];
  nameOfKey: (id: string | null) => string;
  onOpen: (id: string) => void;
}

/** Requests as rows, and on a phone as cards below one another. */
export function RequestsTable({ requests, nameOfKey, onOpen }: RequestsTableProps) {
  return (
    <>
      <Table.ScrollContainer minWidth={860} visibleFrom="sm">
        <Table highlightOnHover>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Time</Table.Th>
              <Table.Th>Model</Table.Th>
              <Table.Th>Key</Table.Th>
              <Table.Th>Status</Table.Th>
              <Table.Th ta="right">Tokens in</Table.Th>
              <Table.Th ta="right">Tokens out</Table.Th>
              <Table.Th ta="right">Duration</Table.Th>
              <Table.Th ta="right">Cost</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody className="numbers">
            {requests.map((request) => (
              <Table.Tr key={request.request_id} className={classes.row} onClick={() => onOpen(request.request_id)}>
                <Table.Td>
                  <UnstyledButton className={classes.open}>
                    <VisuallyHidden>Show the request of </VisuallyHidden>
                    <Time value={request.created_at} />
                  </UnstyledButton>
                </Table.Td>
                <Table.Td maw={240}>
                  <Model request={request} />
                </Table.Td>
                <Table.Td maw={170}>
                  <Text size="sm" truncate title={nameOfKey(request.key_id)}>
                    {nameOfKey(request.key_id)}
                  </Text>
                </Table.Td>
                <Table.Td>
                  <Outcome request={request} />
                </Table.Td>
                <Table.Td ta="right">{tokens(request.prompt_tokens)}</Table.Td>
                <Table.Td ta="right">{tokens(request.completion_tokens)}</Table.Td>
                <Table.Td ta="right">{duration(request.duration_ms)}</Table.Td>
                <Table.Td ta="right">
                  <Cost request={request} />
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
      <Stack gap={0} hiddenFrom="sm">
        {requests.map((request) => (
          <UnstyledButton key={request.request_id} className={classes.card} onClick={() => onOpen(request.request_id)}>
            <Group justify="space-between" wrap="nowrap" align="flex-start">
              <Model request={request} />
              <Outcome request={request} />
            </Group>
            <Group gap="md" mt={6} fz="xs" c="dimmed" className="numbers">
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
        ))}
      </Stack>
    </>
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
