import { Card } from '@mantine/core';
import { IconHistory } from '@tabler/icons-react';
import { answerOf, api } from '../../api/client';
import { useAccount } from '../../shell/account';
import { AuditRows } from '../../ui/audit/audit-rows';
import { useList } from '../../ui/list';
import { Paged } from '../../ui/lists';
import { Page } from '../../ui/page';
import { EmptyState } from '../../ui/states';

/** Who has changed what of the account. */
export default function AuditPage() {
  const { id: account } = useAccount();
  const lines = useList(['audit', account], (query) =>
    answerOf(api.GET('/admin/v1/accounts/{account}/audit-log', { params: { path: { account }, query } })),
  );
  return (
    <Page title="Audit log" description="Who has changed what of this account, in the dashboard, by the API and on the command line.">
      <Card padding={0}>
        <Paged
          list={lines}
          one="change"
          rows={8}
          empty={
            <EmptyState icon={IconHistory} title="Nothing was changed yet">
              Each change of keys, projects, members and credits leaves a line here, without the values.
            </EmptyState>
          }
        >
          {(rows) => <AuditRows lines={rows} />}
        </Paged>
      </Card>
    </Page>
  );
}
