import { Card, Switch } from '@mantine/core';
import { IconActivity } from '@tabler/icons-react';
import { useState } from 'react';
import { useKeyNames } from '../../api/keys';
import { useAccount } from '../../shell/account';
import { useAddress } from '../../ui/address';
import { Paged } from '../../ui/lists';
import { useOpened } from '../../ui/opened';
import { Page } from '../../ui/page';
import { useEnvironment } from '../../ui/preferences';
import { EmptyState } from '../../ui/states';
import { Export } from './export';
import { Filters } from './filters';
import { RequestDrawer } from './request-drawer';
import { exportAddress, type Filter, useRequests } from './requests.api';
import { RequestsTable } from './requests-table';

/** Milliseconds between two looks for new requests. */
const LIVE = 2_000;

/** What was asked of the gateway with the account's keys. */
export default function RequestsPage() {
  const account = useAccount();
  const [environment] = useEnvironment();
  const [params, change] = useAddress();
  const [opened, open, close] = useOpened('request');
  const [live, setLive] = useState(false);
  const filter = filterOf(params);
  const requests = useRequests(environment, filter, live ? LIVE : undefined);
  const nameOfKey = useKeyNames(account.id, requests.query.data?.data.map(({ key_id }) => key_id) ?? []);
  return (
    <Page
      ofEnvironment
      title="Requests"
      description={`What was asked with keys of the ${environment} environment. Choose one to see where it went and what it cost.`}
      actions={
        <>
          <Switch label="Auto-refresh" checked={live} onChange={(event) => setLive(event.currentTarget.checked)} />
          <Export address={(form) => exportAddress(account.id, form, filter, environment)} />
        </>
      }
    >
      <Card padding={0}>
        <Paged
          list={requests}
          one="request"
          rows={8}
          filtered={Object.values(filter).some((value) => value !== undefined)}
          above={
            <Filters
              filter={filter}
              onChange={({ failed, status, hours, ...texts }) =>
                change({ ...texts, failed: failed ? 'true' : undefined, status: status?.toString(), hours: hours?.toString() })
              }
            />
          }
          empty={
            <EmptyState icon={IconActivity} title="No requests yet">
              What is asked with the account’s {environment} keys appears here some seconds after it has ended.
            </EmptyState>
          }
        >
          {(rows) => <RequestsTable requests={rows} nameOfKey={nameOfKey} onOpen={open} />}
        </Paged>
      </Card>
      <RequestDrawer id={opened} onClose={close} />
    </Page>
  );
}

function filterOf(params: URLSearchParams): Filter {
  const hours = Number(params.get('hours'));
  const status = Number(params.get('status'));
  return {
    id: params.get('id') ?? undefined,
    key: params.get('key') ?? undefined,
    project: params.get('project') ?? undefined,
    model: params.get('model') ?? undefined,
    failed: params.get('failed') === 'true' || undefined,
    status: status >= 100 && status <= 599 ? status : undefined,
    hours: hours > 0 ? hours : undefined,
  };
}
