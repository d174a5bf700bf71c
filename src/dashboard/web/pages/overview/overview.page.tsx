import { Card, Group, SegmentedControl, Select } from '@mantine/core';
import { IconActivity } from '@tabler/icons-react';
import { useState } from 'react';
import { useSearchParams } from 'wouter';
import { Page } from '../../ui/page';
import { EmptyState, ErrorState, StaleState } from '../../ui/states';
import { Charts } from './charts';
import { FirstSteps } from './first-steps';
import { type Group as Grouping, useBalanceSeries, useIsNew, useSeries } from './overview.api';
import { ranges } from './range';
import { Tiles } from './tiles';
import { totalsOf } from './totals';

const groupings = [
  { value: 'none', label: 'All together' },
  { value: 'model', label: 'By model' },
  { value: 'key', label: 'By key' },
  { value: 'project', label: 'By project' },
];

/** What an account has, and what its requests did and cost. */
export default function OverviewPage() {
  const [params, setParams] = useSearchParams();
  const range = ranges.find(({ id }) => id === params.get('range')) ?? ranges[0]!;
  const by = (groupings.find(({ value }) => value === params.get('by'))?.value ?? 'model') as Grouping;
  const whole = useSeries(range, 'none');
  const grouped = useSeries(range, by);
  const balance = useBalanceSeries(range);
  const failed = useSeries(range, 'error');
  const choose = (name: string, value: string) =>
    setParams((before) => ({ ...Object.fromEntries(before), [name]: value }), { replace: true });
  const totals = whole.data && totalsOf(whole.data.points);
  const error = whole.error ?? grouped.error;
  const answered = whole.data !== undefined && grouped.data !== undefined;
  const retry = () => void Promise.all([whole.refetch(), grouped.refetch(), failed.refetch(), balance.refetch()]);
  const nothing = totals?.requests === 0;
  const isNew = useIsNew(nothing);
  // The key that was made is not shown again.
  const [made, setMade] = useState(false);
  return (
    <Page
      ofEnvironment
      title="Overview"
      actions={
        <Group gap="sm">
          <SegmentedControl
            aria-label="Time"
            value={range.id}
            onChange={(id) => choose('range', id)}
            data={ranges.map(({ id }) => ({ value: id, label: id }))}
          />
          <Select
            aria-label="What is told apart"
            w={150}
            allowDeselect={false}
            data={groupings}
            value={by}
            onChange={(value) => value && choose('by', value)}
          />
        </Group>
      }
    >
      <Tiles totals={totals} failed={whole.isError && !totals} />
      {(isNew || made) && <FirstSteps onMade={() => setMade(true)} />}
      {nothing && isNew === false && !made && (
        <Card>
          <EmptyState icon={IconActivity} title="No requests in this time">
            Choose a longer one, or look at all requests of the account.
          </EmptyState>
        </Card>
      )}
      {error &&
        (answered ? (
          <StaleState error={error} since={Math.min(whole.dataUpdatedAt, grouped.dataUpdatedAt)} retry={retry} />
        ) : (
          <ErrorState error={error} retry={retry} />
        ))}
      {(answered || !error) && !nothing && <Charts grouped={grouped.data} whole={whole.data} balance={balance} failed={failed} />}
    </Page>
  );
}
