import { Card, Group } from '@mantine/core';
import { infiniteQueryOptions, keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { IconHistory } from '@tabler/icons-react';
import { useSearchParams } from 'wouter';
import { answerOf, api } from '../../../api/client';
import { AccountSelect } from '../../../ui/account-select';
import { AuditRows } from '../../../ui/audit/audit-rows';
import { Answered, LoadMore } from '../../../ui/lists';
import { Page } from '../../../ui/page';
import { EmptyState } from '../../../ui/states';

/** Lines of the log, newest first, by pages. */
const auditQuery = (account: string | null) =>
  infiniteQueryOptions({
    queryKey: ['operate', 'audit', account],
    initialPageParam: undefined as string | undefined,
    placeholderData: keepPreviousData,
    queryFn: ({ pageParam }) => {
      const query = { limit: 50, after: pageParam };
      return answerOf(
        account === null
          ? api.GET('/admin/v1/audit-log', { params: { query } })
          : api.GET('/admin/v1/accounts/{account}/audit-log', { params: { path: { account }, query } }),
      );
    },
    getNextPageParam: (page) => page.next ?? undefined,
  });

/** Who has changed what. */
export default function AuditPage() {
  const [params, setParams] = useSearchParams();
  const account = params.get('account');
  const lines = useInfiniteQuery(auditQuery(account));
  return (
    <Page
      title="All changes"
      description="Who has changed what, here, by the administration API and by the command line. Names of fields are kept and never their values, but for roles and other rights."
    >
      <Card padding={0}>
        <Answered
          query={lines}
          rows={8}
          above={
            <Group p="md">
              <AccountSelect
                placeholder="All organisations"
                value={account}
                onChange={(value) => setParams(value === null ? {} : { account: value }, { replace: true })}
              />
            </Group>
          }
        >
          {({ pages }) => {
            const all = pages.flatMap(({ data }) => data);
            return all.length === 0 ? (
              <EmptyState icon={IconHistory} title="Nothing was changed">
                Each change leaves a line here.
              </EmptyState>
            ) : (
              <AuditRows lines={all} ofAccounts />
            );
          }}
        </Answered>
        <LoadMore query={lines} />
      </Card>
    </Page>
  );
}
