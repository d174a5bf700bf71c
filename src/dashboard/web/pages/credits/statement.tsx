import { Button, Card, Group, Select, Stack, Table, Text, Title } from '@mantine/core';
import { IconDownload, IconReceipt } from '@tabler/icons-react';
import { useState } from 'react';
import type { Schemas } from '../../api/client';
import { count } from '../../ui/numbers';
import { useEnvironment } from '../../ui/preferences';
import { EmptyState, ErrorState, RowsLoading } from '../../ui/states';
import { Credits } from '../../ui/values';
import { sumOf } from './amounts';
import { useCharges, useKeyNames, useUsage } from './credits.api';
import { saveCsv } from './csv';
import { recentMonths } from './months';

type Usage = Schemas['UsageView'];

/** What was charged in a month: by model and key, and by component of the prices. */
export function Statement() {
  const months = recentMonths(12);
  const [environment] = useEnvironment();
  const [month, setMonth] = useState(months[0]!.value);
  const usage = useUsage(month);
  const nameOfKey = useKeyNames();
  const rows = [...(usage.data ?? [])].sort((one, other) => Number(other.credits) - Number(one.credits));
  const save = () =>
    saveCsv(`statement-${environment}-${month}.csv`, [
      ['model', 'key_id', 'key', 'requests', 'prompt_tokens', 'completion_tokens', 'credits'],
      ...rows.map((row) => [row.model, row.key, nameOfKey(row.key), row.requests, row.prompt_tokens, row.completion_tokens, row.credits]),
    ]);
  return (
    <Card padding={0} component="section" aria-label="Statement">
      <Group p="md" justify="space-between" gap="sm">
        <Title order={2} size="h5">
          Statement
        </Title>
        <Group gap="sm">
          <Select
            aria-label="Month"
            w={170}
            allowDeselect={false}
            data={months}
            value={month}
            onChange={(value) => value && setMonth(value)}
          />
          <Button variant="default" leftSection={<IconDownload size={16} />} disabled={rows.length === 0} onClick={save}>
            CSV
          </Button>
        </Group>
      </Group>
      {usage.isPending ? (
        <RowsLoading rows={4} />
      ) : usage.isError ? (
        <ErrorState error={usage.error} retry={() => void usage.refetch()} />
      ) : rows.length === 0 ? (
        <EmptyState icon={IconReceipt} title="Nothing was charged in this month">
          Months begin at midnight UTC.
        </EmptyState>
      ) : (
        <>
          <Lines rows={rows} nameOfKey={nameOfKey} />
          <Components month={month} />
        </>
      )}
    </Card>
  );
}

function Lines({ rows, nameOfKey }: { rows: readonly Usage[]; nameOfKey: (id: string | undefined) => string }) {
  const total = (field: (row: Usage) => number): string => count(rows.reduce((sum, row) => sum + field(row), 0));
  return (
    <Table.ScrollContainer minWidth={640}>
      <Table className="numbers" verticalSpacing="xs">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Model</Table.Th>
            <Table.Th>Key</Table.Th>
            <Table.Th ta="right">Requests</Table.Th>
            <Table.Th ta="right">Tokens in</Table.Th>
            <Table.Th ta="right">Tokens out</Table.Th>
            <Table.Th ta="right">Credits</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map((row) => (
            <Table.Tr key={`${row.model} ${row.key}`}>
              <Table.Td>{row.model}</Table.Td>
              <Table.Td>{nameOfKey(row.key)}</Table.Td>
              <Table.Td ta="right">{count(row.requests)}</Table.Td>
              <Table.Td ta="right">{count(row.prompt_tokens)}</Table.Td>
              <Table.Td ta="right">{count(row.completion_tokens)}</Table.Td>
              <Table.Td ta="right">
                <Credits value={row.credits} />
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
        <Table.Tfoot>
          <Table.Tr fw={600}>
            <Table.Td colSpan={2}>Total</Table.Td>
            <Table.Td ta="right">{total(({ requests }) => requests)}</Table.Td>
            <Table.Td ta="right">{total(({ prompt_tokens }) => prompt_tokens)}</Table.Td>
            <Table.Td ta="right">{total(({ completion_tokens }) => completion_tokens)}</Table.Td>
            <Table.Td ta="right">
              <Credits value={sumOf(rows.map(({ credits }) => credits))} />
            </Table.Td>
          </Table.Tr>
        </Table.Tfoot>
      </Table>
    </Table.ScrollContainer>
  );
}

function Components({ month }: { month: string }) {
  const charges = useCharges(month);
  const { components = [], saved_by_cache = '0' } = charges.data ?? {};
  const lines = Map.groupBy(components, ({ component }) => component);
  if (lines.size === 0) return null;
  return (
    <Stack gap={6} p="md" style={{ borderTop: '1px solid var(--line)' }}>
      <Text size="xs" c="dimmed" fw={500}>
        What it was charged for
      </Text>
      {[...lines].map(([component, of]) => (
        <Group key={component} justify="space-between" gap="sm" fz="sm" className="numbers">
          <span>
            {component.replaceAll('_', ' ')}
            <Text span inherit c="dimmed">{` · ${count(of.reduce((sum, line) => sum + (line.count ?? 0), 0))}`}</Text>
          </span>
          <Credits value={sumOf(of.map(({ amount }) => amount))} />
        </Group>
      ))}
      {Number(saved_by_cache) > 0 && (
        <Group justify="space-between" gap="sm" fz="sm" c="signal" className="numbers">
          <span>saved by caching</span>
          <Credits value={saved_by_cache} />
        </Group>
      )}
    </Stack>
  );
}
