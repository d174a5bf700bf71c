import { Card, Group, MultiSelect, Select, Switch } from '@mantine/core';
import { IconBox, IconSearch, IconSortAscending, IconSortDescending } from '@tabler/icons-react';
import { useState } from 'react';
import { useModels } from '../../api/models';
import { useAccount } from '../../shell/account';
import { IconAction } from '../../ui/icon-action';
import { Answered, InParts, Search } from '../../ui/lists';
import { useOpened } from '../../ui/opened';
import { Page } from '../../ui/page';
import type { Sorting } from '../../ui/rows';
import { EmptyState } from '../../ui/states';
import { capabilities, chosenFrom, type SortedBy, type Wanted } from './catalogue';
import { CompareModels } from './compare-models';
import { ModelDrawer } from './model-drawer';
import { ModelsTable } from './models-table';

/** The models that the account's rules allow, with prices and how they do. */
export default function ModelsPage() {
  const { id: account } = useAccount();
  const models = useModels(account);
  const [opened, open, close] = useOpened('model');
  const [wanted, setWanted] = useState<Wanted>({ search: '', provider: null, capabilities: [], active: false });
  const [sorting, setSorting] = useState<Sorting<SortedBy>>({ column: 'id', descending: false });
  const [compared, setCompared] = useState<string[]>([]);
  const all = models.data ?? [];
  const want = (change: Partial<Wanted>) => setWanted({ ...wanted, ...change });
  const sort = (column: SortedBy) => setSorting({ column, descending: sorting.column === column && !sorting.descending });
  const toggle = (id: string) => setCompared(compared.includes(id) ? compared.filter((one) => one !== id) : [...compared, id]);
  return (
    <Page
      title="Models"
      description="What the account may call. Prices are credits per million tokens; figures are those of the last half hour. Tick two models to compare them."
    >
      <Card padding={0}>
        <Group p="md" gap="sm">
          <Search label="Find a model" value={wanted.search} onChange={(search) => want({ search })} />
          <Select
            aria-label="Provider"
            placeholder="All providers"
            flex="1 1 150px"
            maw={{ sm: 170 }}
            clearable
            searchable
            data={[...new Set(all.flatMap(({ providers }) => providers))].sort()}
            value={wanted.provider}
            onChange={(provider) => want({ provider })}
          />
          <MultiSelect
            aria-label="Capabilities"
            placeholder={wanted.capabilities.length === 0 ? 'Any capability' : undefined}
            flex="1 1 150px"
            maw={{ sm: 260 }}
            clearable
            data={capabilities.map(({ id, label }) => ({ value: id, label }))}
            value={[...wanted.capabilities]}
            onChange={(ids) => want({ capabilities: ids })}
          />
          <Switch label="Only active" checked={wanted.active} onChange={(event) => want({ active: event.currentTarget.checked })} />
        </Group>
        <Order sorting={sorting} onChange={setSorting} />
        <Answered query={models} rows={8}>
          {() => {
            const chosen = chosenFrom(all, wanted, sorting);
            if (chosen.length > 0)
              return (
                <InParts all={chosen} names={['model', 'models']}>
                  {(rows) => (
                    <ModelsTable models={rows} sorting={sorting} onSort={sort} compared={compared} onCompare={toggle} onOpen={open} />
                  )}
                </InParts>
              );
            return all.length === 0 ? (
              <EmptyState icon={IconBox} title="No models yet">
                No provider is configured, or the rules of the account allow none of what there is.
              </EmptyState>
            ) : (
              <EmptyState icon={IconSearch} title="No model is like that">
                Change what you search for, or take a filter away.
              </EmptyState>
            );
          }}
        </Answered>
      </Card>
      <ModelDrawer id={opened} onClose={close} />
      <CompareModels models={all.filter(({ id }) => compared.includes(id))} onForget={() => setCompared([])} />
    </Page>
  );
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
