import { Button, Card, Group, MultiSelect, Select, Switch, Text, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconBox, IconColumns2, IconSearch } from '@tabler/icons-react';
import { useState } from 'react';
import { useSearchParams } from 'wouter';
import { useModels } from '../../api/models';
import { useAccount } from '../../shell/account';
import { Page } from '../../ui/page';
import { EmptyState, ErrorState, RowsLoading } from '../../ui/states';
import { capabilities, chosenFrom, type Column, type Sorting, type Wanted } from './catalogue';
import { CompareModels } from './compare-models';
import { ModelDrawer } from './model-drawer';
import { ModelsTable } from './models-table';

/** Rows that are added at a time. */
const ROWS = 100;

/** The models that the account's rules allow, with prices and how they do. */
export default function ModelsPage() {
  const { id: account } = useAccount();
  const models = useModels(account);
  const [params, setParams] = useSearchParams();
  const [wanted, setWanted] = useState<Wanted>({ search: '', provider: null, capabilities: [], active: false });
  const [sorting, setSorting] = useState<Sorting>({ column: 'id', descending: false });
  const [rows, setRows] = useState(ROWS);
  const [compared, setCompared] = useState<string[]>([]);
  const [comparing, comparison] = useDisclosure(false);
  const all = models.data ?? [];
  const chosen = chosenFrom(all, wanted, sorting);
  const want = (change: Partial<Wanted>) => {
    setWanted({ ...wanted, ...change });
    setRows(ROWS);
  };
  const sort = (column: Column) => setSorting({ column, descending: sorting.column === column && !sorting.descending });
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
          <TextInput
            flex={1}
            miw={200}
            placeholder="Find a model"
            aria-label="Find a model"
            leftSection={<IconSearch size={16} />}
            value={wanted.search}
            onChange={(event) => want({ search: event.currentTarget.value })}
          />
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
        {models.isPending ? (
          <RowsLoading rows={8} />
        ) : models.isError ? (
          <ErrorState error={models.error} retry={() => void models.refetch()} />
        ) : chosen.length === 0 ? (
          <EmptyState icon={all.length === 0 ? IconBox : IconSearch} title={all.length === 0 ? 'No models yet' : 'No model is like that'}>
            {all.length === 0
              ? 'No provider is configured, or the rules of the account allow none of what there is.'
              : 'Change what you search for, or take a filter away.'}
          </EmptyState>
        ) : (
          <>
            <ModelsTable
              models={chosen.slice(0, rows)}
              sorting={sorting}
              onSort={sort}
              compared={compared}
              onCompare={toggle}
              onOpen={open}
            />
            <Group justify="center" p="md">
              {chosen.length > rows ? (
                <Button variant="default" onClick={() => setRows(rows + ROWS)}>
                  Show more
                </Button>
              ) : (
                <Text size="xs" c="dimmed">
                  {chosen.length} {chosen.length === 1 ? 'model' : 'models'}
                </Text>
              )}
            </Group>
          </>
        )}
      </Card>
      <ModelDrawer id={params.get('model')} onClose={() => open(undefined)} />
      <CompareModels models={all.filter(({ id }) => compared.includes(id))} opened={comparing} onClose={comparison.close} />
    </Page>
  );
}
