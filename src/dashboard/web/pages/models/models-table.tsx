import { Box, Checkbox, Group, Stack, Table, Text, Tooltip, UnstyledButton, VisuallyHidden } from '@mantine/core';
import { IconArrowDown, IconArrowUp } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import type { Model } from '../../api/models';
import { duration, perMillion } from '../../ui/numbers';
import { type Column, capabilitiesOf, size, type Sorting } from './catalogue';
import { HOUR, valuesOf } from './history';
import classes from './models-table.module.css';
import { Sparkline } from './sparkline';
import { Status } from './status';

interface ModelsTableProps {
  models: readonly Model[];
  sorting: Sorting;
  onSort: (column: Column) => void;
  /** Ids of those that are compared. */
  compared: readonly string[];
  onCompare: (id: string) => void;
  onOpen: (id: string) => void;
}

/** Models as rows, and on a phone as cards below one another. */
export function ModelsTable({ models, sorting, onSort, compared, onCompare, onOpen }: ModelsTableProps) {
  const sortable = { sorting, onSort };
  return (
    <>
      <Table.ScrollContainer minWidth={1020} visibleFrom="sm">
        <Table highlightOnHover>
          <Table.Thead>
            <Table.Tr>
              <Table.Th w={40}>
                <VisuallyHidden>Compare</VisuallyHidden>
              </Table.Th>
              <Sortable column="id" {...sortable}>
                Model
              </Sortable>
              <Table.Th>Can</Table.Th>
              <Sortable column="context" right {...sortable}>
                Context
              </Sortable>
              <Sortable column="prompt" right {...sortable}>
                Prompt
              </Sortable>
              <Sortable column="completion" right {...sortable}>
                Completion
              </Sortable>
              <Sortable column="latency" right {...sortable}>
                First token
              </Sortable>
              <Sortable column="speed" right {...sortable}>
                Tokens/s
              </Sortable>
              <Table.Th>24 hours</Table.Th>
              <Sortable column="uptime" right {...sortable}>
                Uptime
              </Sortable>
              <Table.Th>Status</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody className="numbers">
            {models.map((model) => (
              <Table.Tr key={model.id}>
                <Table.Td>
                  <Checkbox
                    size="xs"
                    aria-label={`Compare ${model.id}`}
                    checked={compared.includes(model.id)}
                    disabled={compared.length >= 2 && !compared.includes(model.id)}
                    onChange={() => onCompare(model.id)}
                  />
                </Table.Td>
                <Table.Td maw={260}>
                  <Name model={model} onOpen={onOpen} />
                </Table.Td>
                <Table.Td>
                  <Capabilities model={model} />
                </Table.Td>
                <Table.Td ta="right">{size(model.context_length)}</Table.Td>
                <Table.Td ta="right">{perMillion(model.pricing.prompt)}</Table.Td>
                <Table.Td ta="right">{perMillion(model.pricing.completion)}</Table.Td>
                <Table.Td ta="right">{model.first_token_ms === null ? '–' : duration(model.first_token_ms)}</Table.Td>
                <Table.Td ta="right">{speed(model)}</Table.Td>
                <Table.Td>
                  <Sparkline
                    values={valuesOf(model.history, HOUR, (past) => past.calls).map((calls) => calls ?? 0)}
                    label={`Calls of ${model.id} in the last 24 hours`}
                  />
                </Table.Td>
                <Table.Td ta="right">{uptime(model)}</Table.Td>
                <Table.Td>
                  <Status status={model.status} />
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
      <Stack gap={0} hiddenFrom="sm">
        {models.map((model) => (
          <Box key={model.id} className={classes.card}>
            <Group justify="space-between" wrap="nowrap" align="flex-start">
              <Name model={model} onOpen={onOpen} />
              <Status status={model.status} />
            </Group>
            <Group gap="md" mt={6} fz="xs" c="dimmed" className="numbers">
              <span>{size(model.context_length)} tokens</span>
              <span>
                {perMillion(model.pricing.prompt)} / {perMillion(model.pricing.completion)}
              </span>
              {model.first_token_ms !== null && <span>{duration(model.first_token_ms)}</span>}
            </Group>
            <Box mt={8}>
              <Capabilities model={model} />
            </Box>
          </Box>
        ))}
      </Stack>
    </>
  );
}

interface SortableProps {
  column: Column;
  right?: boolean;
  sorting: Sorting;
  onSort: (column: Column) => void;
  children: ReactNode;
}

function Sortable({ column, right = false, sorting, onSort, children }: SortableProps) {
  const chosen = sorting.column === column;
  const Arrow = sorting.descending ? IconArrowDown : IconArrowUp;
  return (
    <Table.Th ta={right ? 'right' : undefined} aria-sort={chosen ? (sorting.descending ? 'descending' : 'ascending') : 'none'}>
      <UnstyledButton className={classes.sort} onClick={() => onSort(column)} data-chosen={chosen || undefined}>
        {children}
        {chosen && <Arrow size={13} aria-hidden />}
      </UnstyledButton>
    </Table.Th>
  );
}

function Name({ model, onOpen }: { model: Model; onOpen: (id: string) => void }) {
  return (
    <Stack gap={0} miw={0}>
      <UnstyledButton className={classes.name} onClick={() => onOpen(model.id)}>
        <Text size="sm" fw={550} truncate title={model.id}>
          {model.id}
        </Text>
      </UnstyledButton>
      <Text size="xs" c="dimmed" truncate>
        {model.providers.join(', ')}
      </Text>
    </Stack>
  );
}

function Capabilities({ model }: { model: Model }) {
  return (
    <Group gap={6} wrap="nowrap" c="dimmed" component="ul" m={0} p={0} style={{ listStyle: 'none' }}>
      {capabilitiesOf(model).map(({ id, label, icon: Symbol }) => (
        <Tooltip key={id} label={label}>
          <Box component="li" lh={0}>
            <Symbol size={17} stroke={1.7} role="img" aria-label={label} />
          </Box>
        </Tooltip>
      ))}
    </Group>
  );
}

export const speed = ({ performance: { avg_tokens_per_second } }: Model): string =>
  avg_tokens_per_second > 0 ? avg_tokens_per_second.toLocaleString('en', { maximumFractionDigits: 0 }) : '–';

export const uptime = ({ performance: { uptime_percentage } }: Model): string =>
  `${uptime_percentage.toLocaleString('en', { maximumFractionDigits: 2 })}%`;
