import { Button, Card, Drawer, Group, SimpleGrid, Stack, Table, Text, Title } from '@mantine/core';
import { IconFlask } from '@tabler/icons-react';
import { Link } from 'wouter';
import type { Model } from '../../api/models';
import { useAccount } from '../../shell/account';
import { CopyIcon } from '../../ui/copy';
import { count, duration } from '../../ui/numbers';
import { ErrorState, RowsLoading } from '../../ui/states';
import { facts } from './facts';
import { QUARTER, valuesOf } from './history';
import { useModel } from './models.api';
import { Sparkline } from './sparkline';

/** One model, with how it did in the last day. */
export function ModelDrawer({ id, onClose }: { id: string | null; onClose: () => void }) {
  const model = useModel(id);
  return (
    <Drawer opened={id !== null} onClose={onClose} size={600} title="Model">
      {model.isPending && <RowsLoading />}
      {model.isError && <ErrorState error={model.error} retry={() => void model.refetch()} />}
      {model.data && <Shown model={model.data} />}
    </Drawer>
  );
}

function Shown({ model }: { model: Model }) {
  const account = useAccount();
  const { chat, completion } = model.capabilities;
  return (
    <Stack gap="xl" pb="xl">
      <Group justify="space-between" gap="sm">
        <Group gap={8} wrap="nowrap" miw={0}>
          <Title order={2} size="h3" style={{ overflowWrap: 'anywhere' }}>
            {model.id}
          </Title>
          <CopyIcon text={model.id} label="Copy the id" />
        </Group>
        {account.role !== 'viewer' && (chat || completion) && (
          <Button
            component={Link}
            href={`/accounts/${encodeURIComponent(account.id)}/playground?model=${encodeURIComponent(model.id)}`}
            variant="default"
            leftSection={<IconFlask size={16} />}
          >
            Try it
          </Button>
        )}
      </Group>
      <SimpleGrid cols={{ base: 1, xs: 2 }}>
        <Past name="Calls" model={model} value={({ calls }) => calls} say={count} absent={0} ofDay={sum} />
        <Past name="First token" model={model} value={(past) => past.first_token_ms} say={duration} />
        <Past
          name="Tokens per second"
          model={model}
          value={(past) => past.first_token_ms && past.tokens_per_second}
          say={(value) => value.toFixed(0)}
        />
        <Past name="Uptime" model={model} value={(past) => past.uptime_percentage} say={(value) => `${Number(value.toFixed(2))}%`} />
      </SimpleGrid>
      <Table verticalSpacing={8} className="numbers" aria-label="Facts">
        <Table.Tbody>
          {facts.map(({ name, of }) => (
            <Table.Tr key={name}>
              <Table.Th scope="row" w={170}>
                {name}
              </Table.Th>
              <Table.Td style={{ overflowWrap: 'anywhere' }}>{of(model)}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Stack>
  );
}

const latest = (values: readonly number[]): number | undefined => values.at(-1);

const sum = (values: readonly number[]): number => values.reduce((all, one) => all + one, 0);

interface PastProps {
  name: string;
  model: Model;
  value: (past: Model['history'][number]) => number | null;
  say: (value: number) => string;
  /** What it is where the model was not called; absent: not known. */
  absent?: number;
  /** What the day comes to; absent: its last value. */
  ofDay?: (values: readonly number[]) => number | undefined;
}

/** One figure over the last day, with its lowest and its highest value. */
function Past({ name, model, value, say, absent, ofDay = latest }: PastProps) {
  const values = valuesOf(model.history, QUARTER, value).map((one) => one ?? absent ?? null);
  const known = values.filter((one) => one !== null);
  const day = ofDay(known);
  return (
    <Card padding="sm">
      <Group justify="space-between" gap="xs" mb={6}>
        <Text size="xs" c="dimmed" fw={500}>
          {name}, 24 hours
        </Text>
        <Text size="sm" fw={600} className="numbers">
          {day === undefined ? '–' : say(day)}
        </Text>
      </Group>
      <Sparkline values={values} width="100%" height={44} label={`${name} in the last 24 hours, by the quarter of an hour`} />
      <Text size="xs" c="dimmed" mt={6} className="numbers">
        {known.length === 0 ? 'Not measured' : `between ${say(Math.min(...known))} and ${say(Math.max(...known))}`}
      </Text>
    </Card>
  );
}
