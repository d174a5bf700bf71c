import { Card, Switch } from '@mantine/core';
import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { IconActivity, IconSearch } from '@tabler/icons-react';
import { useState } from 'react';
import { useSearchParams } from 'wouter';
import { useKeys, useProjects } from '../../api/keys';
import { useModels } from '../../api/models';
import { useAccount } from '../../shell/account';
import { Answered, LoadMore } from '../../ui/lists';
import { useOpened } from '../../ui/opened';
import { Page } from '../../ui/page';
import { useEnvironment } from '../../ui/preferences';
import { EmptyState } from '../../ui/states';
import { Export } from './export';
import { Filters } from './filters';
import { RequestDrawer } from './request-drawer';
import { exportAddress, type Filter, requestsQuery } from './requests.api';
import { RequestsTable } from './requests-table';

/** Milliseconds between two looks for new requests. */
const LIVE = 2_000;

/** What was asked of the gateway with the account's keys. */
export default function RequestsPage() {
  const account = useAccount();
  const [environment] = useEnvironment();
  const [params, setParams] = useSearchParams();
  const [opened, open, close] = useOpened('request');
  const client = useQueryClient();
  const [live, setLive] = useState(false);
  const filter = filterOf(params);
  const query = requestsQuery(account.id, environment, filter);
  const requests = useInfiniteQuery({
    ...query,
    refetchInterval: live ? LIVE : false,
  });
  const keys = useKeys(account.id);
  const models = useModels(account.id).data?.map(({ id }) => id) ?? [];
  const nameOfKey = (id: string | null): string => {
    const key = keys.data?.find((one) => one.id === id);
    return key ? key.label || key.display : (id ?? 'No key');
  };
  // All pages that are shown would be loaded anew each time.
  const goLive = (on: boolean) => {
    if (on)
      client.setQueryData(query.queryKey, (shown) => shown && { pages: shown.pages.slice(0, 1), pageParams: shown.pageParams.slice(0, 1) });
    setLive(on);
  };
  const more = () => {
    setLive(false);
    void requests.fetchNextPage();
  };
  const isFiltered = Object.values(filter).some((value) => value !== undefined);
  const projects = useProjects(account.id).data ?? [];
  const change = (fields: Record<string, string | undefined>) => setParams(withFields(params, fields), { replace: true });
  return (
    <Page
      ofEnvironment
      title="Requests"
      description={`What was asked with keys of the ${environment} environment. Choose one to see where it went and what it cost.`}
      actions={
        <>
          <Switch label="Auto-refresh" checked={live} onChange={(event) => goLive(event.currentTarget.checked)} />
          <Export address={(form) => exportAddress(account.id, form, filter, environment)} />
        </>
      }
    >
      <Card padding={0}>
        <Filters
          filter={filter}
          onChange={({ failed, status, hours, ...texts }) =>
            change({ ...texts, failed: failed ? 'true' : undefined, status: status?.toString(), hours: hours?.toString() })
          }
          keys={(keys.data ?? [])
            .filter((key) => key.environment === environment)
            .map((key) => ({ value: key.id, label: nameOfKey(key.id) }))}
          projects={projects.map(({ id, name }) => ({ value: id, label: name || id }))}
          models={models}
        />
        <Answered query={requests} rows={8}>
          {({ pages }) => {
            const all = pages.flatMap(({ data }) => data);
            if (all.length > 0) return <RequestsTable requests={all} nameOfKey={nameOfKey} onOpen={open} />;
            return isFiltered ? (
              <EmptyState icon={IconSearch} title="No request is like that">
                Change what you search for. Requests appear here some seconds after they have ended.
              </EmptyState>
            ) : (
              <EmptyState icon={IconActivity} title="No requests yet">
                What is asked with the account’s {environment} keys appears here some seconds after it has ended.
              </EmptyState>
            );
          }}
        </Answered>
        <LoadMore query={{ ...requests, fetchNextPage: more }} />
      </Card>
      <RequestDrawer id={opened} onClose={close} nameOfKey={nameOfKey} />
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

function withFields(params: URLSearchParams, fields: Record<string, string | undefined>): URLSearchParams {
  const next = new URLSearchParams(params);
  for (const [name, value] of Object.entries(fields))
    if (value === undefined) next.delete(name);
    else next.set(name, value);
  return next;
}
