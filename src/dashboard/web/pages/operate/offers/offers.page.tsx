import { Autocomplete, Card, Group, Select } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useInfiniteQuery } from '@tanstack/react-query';
import { IconActivityHeartbeat, IconSearch } from '@tabler/icons-react';
import { useState } from 'react';
import { useSearchParams } from 'wouter';
import { useModelIds, useProviderIds } from '../../../api/catalogue';
import { Answered, LoadMore } from '../../../ui/lists';
import { Page } from '../../../ui/page';
import { Rows } from '../../../ui/rows';
import { EmptyState } from '../../../ui/states';
import { columns } from './columns';
import { offersQuery } from './offers.api';

/** How each offer of each model is doing. */
export default function OffersPage() {
  const [params, setParams] = useSearchParams();
  const [typed, setTyped] = useState(params.get('model') ?? '');
  const [search] = useDebouncedValue(typed.trim(), 250);
  const models = useModelIds();
  const providers = useProviderIds();
  const provider = params.get('provider');
  // Only whole ids are asked for: while one is typed, all are shown.
  const model = models.includes(search) ? search : undefined;
  const offers = useInfiniteQuery(offersQuery({ model, provider: provider ?? undefined }));
  return (
    <Page
      title="Offers"
      description="A model at one provider is an offer. Breaker, queue and speed are those of the process that answered this page; traffic and uptime are those of the last half hour at all gateways."
    >
      <Card padding={0}>
        <Answered
          query={offers}
          rows={8}
          above={
            <Group p="md" gap="sm">
              <Autocomplete
                flex={1}
                miw={200}
                maw={420}
                placeholder="All models"
                aria-label="Model"
                leftSection={<IconSearch size={16} />}
                data={models}
                limit={50}
                value={typed}
                onChange={setTyped}
              />
              <Select
                aria-label="Provider"
                placeholder="All providers"
                searchable
                clearable
                clearButtonProps={{ 'aria-label': 'All providers' }}
                data={provider === null || providers.includes(provider) ? providers : [...providers, provider]}
                value={provider}
                onChange={(value) => setParams(value === null ? {} : { provider: value }, { replace: true })}
              />
            </Group>
          }
        >
          {({ pages }) => {
            const all = pages.flatMap(({ data }) => data);
            if (all.length > 0)
              return (
                <Rows
                  label="Offers"
                  rows={all}
                  keyOf={(offer) => `${offer.model} ${offer.provider} ${offer.upstream_model}`}
                  columns={columns}
                  minWidth={880}
                />
              );
            return (
              <EmptyState icon={IconActivityHeartbeat} title="No offers">
                Nobody offers such a model now: providers that are switched off have no offers.
              </EmptyState>
            );
          }}
        </Answered>
        <LoadMore query={offers} />
      </Card>
    </Page>
  );
}
