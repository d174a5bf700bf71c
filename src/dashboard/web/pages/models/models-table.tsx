import { Box, Checkbox, Group, SimpleGrid, Text } from '@mantine/core';
import type { Model } from '../../api/models';
import { Fact } from '../../ui/fact';
import { Pair } from '../../ui/pair';
import { type Column, Opener, Rows, type Sorting } from '../../ui/rows';
import { capabilitiesOf, completionPrice, firstToken, promptPrice, size, speed, uptime } from './catalogue';
import { HOUR, valuesOf } from './history';
import type { SortedBy } from './models.api';
import { Sparkline } from './sparkline';
import { Status } from './status';

interface Choosing {
  /** Those that are compared. */
  compared: readonly Model[];
  onCompare: (model: Model) => void;
}

interface ModelsTableProps extends Choosing {
  models: readonly Model[];
  sorting: Sorting<SortedBy>;
  onSort: (column: SortedBy) => void;
  onOpen: (id: string) => void;
}

/** Models, with what they can do, cost and how they do. */
export function ModelsTable({ models, sorting, onSort, compared, onCompare, onOpen }: ModelsTableProps) {
  return (
    <Rows
      label="Models"
      rows={models}
      keyOf={({ id }) => id}
      columns={columns}
      onOpen={({ id }) => onOpen(id)}
      sorting={sorting}
      onSort={onSort}
      renderChoice={(model) => <Compare model={model} compared={compared} onCompare={onCompare} />}
      renderCard={(model) => <ModelCard model={model} compared={compared} onCompare={onCompare} />}
      minWidth={940}
      dense
    />
  );
}

const providersOf = ({ providers }: Model): string => providers.join(', ');

const columns: Column<Model, SortedBy>[] = [
  { title: 'Model', sort: 'id', max: 260, cell: (model) => <Name model={model} />, detail: providersOf },
  { title: 'Can', cell: (model) => <Capabilities model={model} /> },
  { title: 'Context', sort: 'context', right: true, cell: ({ context_length }) => size(context_length) },
  { title: 'Prompt', sort: 'prompt', right: true, cell: promptPrice },
  { title: 'Completion', sort: 'completion', right: true, cell: completionPrice },
  { title: 'First token', sort: 'latency', right: true, cell: firstToken },
  { title: 'Tokens/s', sort: 'speed', right: true, cell: speed },
  {
    title: '24 hours',
    cell: ({ id, history }) => (
      <Sparkline
        values={valuesOf(history, HOUR, ({ calls }) => calls).map((calls) => calls ?? 0)}
        label={`Calls of ${id} in the last 24 hours`}
      />
    ),
  },
  { title: 'Uptime', sort: 'uptime', right: true, cell: uptime },
  { title: 'Status', cell: ({ status }) => <Status status={status} /> },
];

function Compare({ model, compared, onCompare, label }: { model: Model; label?: string } & Choosing) {
  const { id } = model;
  const chosen = compared.some((one) => one.id === id);
  return (
    <Checkbox
      size="xs"
      label={label}
      aria-label={`Compare ${id}`}
      checked={chosen}
      disabled={compared.length >= 2 && !chosen}
      onChange={() => onCompare(model)}
    />
  );
}

function ModelCard({ model, ...choosing }: { model: Model } & Choosing) {
  const figures = [
    ['Context', size(model.context_length)],
    ['Prompt', promptPrice(model)],
    ['Completion', completionPrice(model)],
    ['First token', firstToken(model)],
    ['Tokens/s', speed(model)],
    ['Uptime', uptime(model)],
  ] as const;
  return (
    <>
      <Group justify="space-between" wrap="nowrap" align="flex-start">
        <Pair detail={providersOf(model)}>
          <Opener>
            <Name model={model} />
          </Opener>
        </Pair>
        <Status status={model.status} />
      </Group>
      <SimpleGrid component="dl" cols={3} spacing="xs" verticalSpacing={6} m={0} my="xs">
        {figures.map(([name, value]) => (
          <Fact key={name} name={name}>
            {value}
          </Fact>
        ))}
      </SimpleGrid>
      <Group justify="space-between" wrap="nowrap">
        <Capabilities model={model} />
        <Box onClick={(event) => event.stopPropagation()}>
          <Compare model={model} label="Compare" {...choosing} />
        </Box>
      </Group>
    </>
  );
}

const Name = ({ model: { id } }: { model: Model }) => (
  <Text size="sm" fw={550} truncate title={id}>
    {id}
  </Text>
);

function Capabilities({ model }: { model: Model }) {
  return (
    <Group gap={6} wrap="nowrap" c="dimmed" component="ul" m={0} p={0} style={{ listStyle: 'none' }}>
      {capabilitiesOf(model).map(({ id, label, icon: Symbol }) => (
        <Box key={id} component="li" lh={0} title={label}>
          <Symbol size={17} stroke={1.7} role="img" aria-label={label} />
        </Box>
      ))}
    </Group>
  );
}
