import { Card } from '@mantine/core';
import { infiniteQueryOptions, useInfiniteQuery } from '@tanstack/react-query';
import { IconHistory } from '@tabler/icons-react';
import { answerOf, api } from '../../api/client';
import { useAccount } from '../../shell/account';
import { AuditRows } from '../../ui/audit/audit-rows';
import { Answered, LoadMore } from '../../ui/lists';
import { Page } from '../../ui/page';
import { EmptyState } from '../../ui/states';

/** Newest first, by pages. */
const auditQuery = (account: string) =>
  infiniteQueryOptions({
    queryKey: ['audit', account],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam }) =>
      answerOf(
        api.GET('/admin/v1/accounts/{account}/audit-log', { params: { path: { account }, query: { limit: 50, after: pageParam } } }),
      ),
    getNextPageParam: (page) => page.next ?? undefined,
  });

/** Who has changed what of the account. */
export default function AuditPage() {
  const account = useAccount();
  const lines = useInfiniteQuery(auditQuery(account.id));
  return (
    <Page title="Audit log" description="Who has changed what of this account, in the dashboard, by the API and on the command line.">
      <Card padding={0}>
        <Answered query={lines} rows={8}>
          {({ pages }) => {
            const all = pages.flatMap(({ data }) => data);
            return all.length === 0 ? (
              <EmptyState icon={IconHistory} title="Nothing was changed yet">
                Each change of keys, projects, members and credits leaves a line here, without the values.
              </EmptyState>
            ) : (
              <AuditRows lines={all} />
            );
          }}
        </Answered>
        <LoadMore query={lines} />
      </Card>
    </Page>
  );
}
