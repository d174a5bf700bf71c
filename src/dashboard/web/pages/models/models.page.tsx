import { Button, Card, Group, MultiSelect, Select, Switch } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconBox, IconColumns2, IconSearch } from '@tabler/icons-react';
import { useState } from 'react';
import { useSearchParams } from 'wouter';
import { useModels } from '../../api/models';
import { useAccount } from '../../shell/account';
import { Answered, InParts, Search } from '../../ui/lists';
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
  const [params, setParams] = useSearchParams();
  const [wanted, setWanted] = useState<Wanted>({ search: '', provider: null, capabilities: [], active: false });
  const [sorting, setSorting] = useState<Sorting<SortedBy>>({ column: 'id', descending: false });
  const [compared, setCompared] = useState<string[]>([]);
  const [comparing, comparison] = useDisclosure(false);
  const all = models.data ?? [];
  const want = (change: Partial<Wanted>) => setWanted({ ...wanted, ...change });
  const sort = (column: SortedBy) => setSorting({ column, descending: sorting.column === column && !sorting.descending });
  const open = (id: string | undefined) => setParams(id === undefined ? {} : { model: id }, { replace: true });
  const toggle = (id: string) => setCompared(compared.includes(id) ? compared.filter((one) => one !== id) : [...compared, id]);
  return (
    <Page
      title="Models"
      description="What the account may call. Prices are credits per million tokens; figures are those of the last half hour."
      actions={
        <Button
          visibleFrom="sm"
          variant="default"
          leftSection={<IconColumns2 size={16} />}
          disabled={compared.length !== 2}
          onClick={comparison.open}
        >
          {compared.length === 2 ? 'Compare two' : `Compare (${compared.length} of 2 chosen)`}
        </Button>
      }
    >
      <Card padding={0}>
        <Group p="md" gap="sm">
          <Search label="Find a model" value={wanted.search} onChange={(search) => want({ search })} />
          <Select
            aria-label="Provider"
            placeholder="All providers"
            w={170}
            clearable
            searchable
            data={[...new Set(all.flatMap(({ providers }) => providers))].sort()}
            value={wanted.provider}
            onChange={(provider) => want({ provider })}
          />
          <MultiSelect
            aria-label="Capabilities"
            placeholder={wanted.capabilities.length === 0 ? 'Any capability' : undefined}
            miw={180}
            clearable
            data={capabilities.map(({ id, label }) => ({ value: id, label }))}
            value={[...wanted.capabilities]}
            onChange={(ids) => want({ capabilities: ids })}
          />
          <Switch label="Only active" checked={wanted.active} onChange={(event) => want({ active: event.currentTarget.checked })} />
        </Group>
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
      <ModelDrawer id={params.get('model')} onClose={() => open(undefined)} />
      <CompareModels models={all.filter(({ id }) => compared.includes(id))} opened={comparing} onClose={comparison.close} />
    </Page>
  );
}
