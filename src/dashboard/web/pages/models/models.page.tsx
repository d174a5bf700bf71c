import { Card, Group, MultiSelect, Select, Switch } from '@mantine/core';
import { IconBox, IconSortAscending, IconSortDescending } from '@tabler/icons-react';
import { useState } from 'react';
import type { Model } from '../../api/models';
import { useAddress } from '../../ui/address';
import { IconAction } from '../../ui/icon-action';
import { Paged, Search } from '../../ui/lists';
import { useOpened } from '../../ui/opened';
import { Page } from '../../ui/page';
import type { Sorting } from '../../ui/rows';
import { EmptyState } from '../../ui/states';
import { capabilities } from './catalogue';
import { CompareModels } from './compare-models';
import { ModelDrawer } from './model-drawer';
import { type SortedBy, useModels, type Wanted } from './models.api';
import { ModelsTable } from './models-table';

/** The models that the account's rules allow, with prices and how they do. */
export default function ModelsPage() {
  const [params, change] = useAddress();
  const wanted = wantedIn(params);
  const models = useModels(wanted);
  const [opened, open, close] = useOpened('model');
  const [compared, setCompared] = useState<readonly Model[]>([]);
  const sorting = { column: wanted.order, descending: wanted.descending };
  const sort = ({ column, descending }: Sorting<SortedBy>) => change({ order: column, descending: descending ? 'true' : undefined });
  const toggle = (model: Model) =>
    setCompared(compared.some(({ id }) => id === model.id) ? compared.filter(({ id }) => id !== model.id) : [...compared, model]);
  return (
    <Page
      title="Models"
      description="What the account may call. Prices are credits per million tokens; figures are those of the last half hour. Tick two models to compare them."
    >
      <Card padding={0}>
        <Paged
          list={models}
          one="model"
          rows={8}
          filtered={wanted.capabilities !== undefined || wanted.active}
          above={
            <>
              <Group p="md" gap="sm">
                <Search label="Find a model or provider" value={models.search} onChange={models.find} />
                <MultiSelect
                  aria-label="Capabilities"
                  placeholder={wanted.capabilities ? undefined : 'Any capability'}
                  flex="1 1 150px"
                  maw={{ sm: 260 }}
                  clearable
                  data={capabilities.map(({ id, label }) => ({ value: id, label }))}
                  value={wanted.capabilities ?? []}
                  onChange={(ids) => change({ capabilities: ids.join(',') })}
                />
                <Switch
                  label="Only active"
                  checked={wanted.active}
                  onChange={(event) => change({ active: event.currentTarget.checked ? 'true' : undefined })}
                />
              </Group>
              <Order sorting={sorting} onChange={sort} />
            </>
          }
          empty={
            <EmptyState icon={IconBox} title="No models yet">
              No provider is configured, or the rules of the account allow none of what there is.
            </EmptyState>
          }
        >
          {(rows) => (
            <ModelsTable
              models={rows}
              sorting={sorting}
              onSort={(column) => sort({ column, descending: wanted.order === column && !wanted.descending })}
              compared={compared}
              onCompare={toggle}
              onOpen={open}
            />
          )}
        </Paged>
      </Card>
      <ModelDrawer id={opened} onClose={close} />
      <CompareModels models={compared} onForget={() => setCompared([])} />
    </Page>
  );
}

function wantedIn(params: URLSearchParams): Wanted {
  const wanted = params.get('capabilities')?.split(',') ?? [];
  const able = capabilities.map(({ id }) => id).filter((id) => wanted.includes(id));
  return {
    capabilities: able.length > 0 ? able : undefined,
    active: params.get('active') === 'true',
    order: orders.find(({ value }) => value === params.get('order'))?.value ?? 'id',
    descending: params.get('descending') === 'true',
  };
}

const orders: readonly { value: SortedBy; label: string }[] = [
  { value: 'id', label: 'By name' },
  { value: 'context', label: 'By context' },
  { value: 'prompt', label: 'By price of the prompt' },
  { value: 'completion', label: 'By price of the completion' },
  { value: 'latency', label: 'By time to the first token' },
  { value: 'speed', label: 'By tokens per second' },
  { value: 'uptime', label: 'By uptime' },
];

/** How cards are sorted, which have no headings. */
function Order({ sorting, onChange }: { sorting: Sorting<SortedBy>; onChange: (sorting: Sorting<SortedBy>) => void }) {
  const { column, descending } = sorting;
  return (
    <Group hiddenFrom="sm" px="md" pb="md" gap="xs" wrap="nowrap">
      <Select
        flex={1}
        aria-label="Order"
        allowDeselect={false}
        data={orders}
        value={column}
        onChange={(value) => value && onChange({ ...sorting, column: value })}
      />
      <IconAction
        icon={descending ? IconSortDescending : IconSortAscending}
        label={descending ? 'Highest first' : 'Lowest first'}
        variant="default"
        size="input-sm"
        onClick={() => onChange({ ...sorting, descending: !descending })}
      />
    </Group>
  );
}
