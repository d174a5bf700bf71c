import { Badge, Card, Group, SegmentedControl, Text } from '@mantine/core';
import { IconCircleCheck, IconSearch } from '@tabler/icons-react';
import { useState } from 'react';
import { organisations } from '../../../api/find';
import { useAddress } from '../../../ui/address';
import { FoundSelect } from '../../../ui/found-select';
import { Answered, Search } from '../../../ui/lists';
import { count } from '../../../ui/numbers';
import { useOpened } from '../../../ui/opened';
import { Page } from '../../../ui/page';
import { type Column, Rows } from '../../../ui/rows';
import { EmptyState } from '../../../ui/states';
import { Chosen, Time } from '../../../ui/values';
import { sentence } from '../../../ui/words';
import { type ErrorGroup, useErrors } from './errors.api';
import { GroupDrawer } from './group-drawer';
import { RequestDrawer } from './request-drawer';

const spans = [
  { value: '1', label: 'Hour' },
  { value: '24', label: 'Day' },
  { value: '168', label: 'Week' },
];

/** What requests have lately ended in. */
export default function ErrorsPage() {
  const [params, change] = useAddress();
  const [opened, open, close] = useOpened('group');
  const [search, setSearch] = useState('');
  const hours = spans.find(({ value }) => value === params.get('hours'))?.value ?? '24';
  const account = params.get('account');
  const errors = useErrors({ hours: Number(hours), account });
  const wanted = search.toLowerCase();
  return (
    <Page
      title="Recent errors"
      description="What requests have ended in, by their cause. Choose one to see all of its requests, which are here some seconds after they have ended."
      actions={<SegmentedControl aria-label="Of the last" value={hours} onChange={(value) => change({ hours: value })} data={spans} />}
    >
      <Card padding={0}>
        <Answered
          query={errors}
          above={
            <Group p="md" gap="sm">
              <Search label="Find by error, model or provider" value={search} onChange={setSearch} />
              <FoundSelect
                aria-label="Organisation"
                placeholder="All organisations"
                miw={190}
                choices={organisations}
                value={account}
                onChange={(value) => change({ account: value })}
              />
            </Group>
          }
        >
          {(all) => {
            const found = all.filter(({ code, model, provider, outcome }) =>
              [code, sentence(code), model, provider, outcome].join(' ').toLowerCase().includes(wanted),
            );
            if (found.length > 0)
              return (
                <Rows label="Errors" rows={found} keyOf={({ id }) => id} columns={columns} onOpen={({ id }) => open(id)} minWidth={860} />
              );
            return all.length === 0 ? (
              <EmptyState icon={IconCircleCheck} title="No errors">
                No request has ended in an error in this time.
              </EmptyState>
            ) : (
              <EmptyState icon={IconSearch} title="No error matches">
                Change what you search for.
              </EmptyState>
            );
          }}
        </Answered>
      </Card>
      <GroupDrawer
        id={opened}
        group={errors.data?.find(({ id }) => id === opened)}
        hours={Number(hours)}
        account={account}
        onClose={close}
      />
      <RequestDrawer />
    </Page>
  );
}

const ours = new Set(['internal_error', 'upstream_error', 'service_unavailable', 'model_overloaded', 'upstream_timeout']);

const columns: Column<ErrorGroup>[] = [
  {
    title: 'Error',
    max: 260,
    cell: ({ code }) => (
      <Badge color={ours.has(code) ? 'red' : 'orange'} title={sentence(code)}>
        {sentence(code)}
      </Badge>
    ),
  },
  {
    title: 'Model',
    max: 260,
    cell: ({ model }) =>
      model === null ? (
        '–'
      ) : (
        <Text size="sm" truncate title={model}>
          <Chosen>{model}</Chosen>
        </Text>
      ),
  },
  {
    title: 'Last call',
    cell: ({ provider }) =>
      provider ?? (
        <Text span inherit c="dimmed">
          No provider was called
        </Text>
      ),
    detail: ({ outcome }) => outcome && sentence(outcome),
  },
  { title: 'Requests', right: true, cell: ({ requests }) => count(requests) },
  { title: 'Organisations', right: true, cell: ({ accounts }) => count(accounts) },
  { title: 'First', cell: ({ first_at }) => <Time value={first_at} /> },
  { title: 'Latest', cell: ({ last_at }) => <Time value={last_at} /> },
];
