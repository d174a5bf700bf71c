import { Card, Group } from '@mantine/core';
import { IconActivityHeartbeat } from '@tabler/icons-react';
import { catalogue, providers } from '../../../api/find';
import { useAddress } from '../../../ui/address';
import { FoundSelect } from '../../../ui/found-select';
import { Paged } from '../../../ui/lists';
import { Page } from '../../../ui/page';
import { Rows } from '../../../ui/rows';
import { EmptyState } from '../../../ui/states';
import { columns } from './columns';
import { useOffers } from './offers.api';

/** How each offer of each model is doing. */
export default function OffersPage() {
  const [params, change] = useAddress();
  const [model, provider] = [params.get('model'), params.get('provider')];
  const offers = useOffers({ model: model ?? undefined, provider: provider ?? undefined });
  return (
    <Page
      title="Offers"
      description="A model at one provider is an offer. Breaker, queue and speed are those of the process that answered this page; traffic and uptime are those of the last half hour at all gateways."
    >
      <Card padding={0}>
        <Paged
          list={offers}
          one="offer"
          rows={8}
          above={
            <Group p="md" gap="sm">
              <FoundSelect
                flex={1}
                miw={200}
                maw={420}
                placeholder="All models"
                aria-label="Model"
                choices={catalogue}
                value={model}
                onChange={(value) => change({ model: value })}
              />
              <FoundSelect
                aria-label="Provider"
                placeholder="All providers"
                choices={providers}
                value={provider}
                onChange={(value) => change({ provider: value })}
              />
            </Group>
          }
          empty={
            <EmptyState icon={IconActivityHeartbeat} title="No offers">
              Nobody offers such a model now: providers that are switched off have no offers.
            </EmptyState>
          }
        >
          {(rows) => (
            <Rows
              label="Offers"
              rows={rows}
              keyOf={(offer) => `${offer.model} ${offer.provider} ${offer.upstream_model}`}
              columns={columns}
              minWidth={880}
            />
          )}
        </Paged>
      </Card>
    </Page>
  );
}
