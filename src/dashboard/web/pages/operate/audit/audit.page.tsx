import { Card, Group } from '@mantine/core';
import { IconHistory } from '@tabler/icons-react';
import { answerOf, api } from '../../../api/client';
import { organisations } from '../../../api/find';
import { useAddress } from '../../../ui/address';
import { AuditRows } from '../../../ui/audit/audit-rows';
import { FoundSelect } from '../../../ui/found-select';
import { useList } from '../../../ui/list';
import { Paged } from '../../../ui/lists';
import { Page } from '../../../ui/page';
import { EmptyState } from '../../../ui/states';

/** Who has changed what. */
export default function AuditPage() {
  const [params, change] = useAddress();
  const account = params.get('account');
  const lines = useList(
    ['operate', 'audit'],
    (query) =>
      answerOf(
        account === null
          ? api.GET('/admin/v1/audit-log', { params: { query } })
          : api.GET('/admin/v1/accounts/{account}/audit-log', { params: { path: { account }, query } }),
      ),
    { filter: { account } },
  );
  return (
    <Page
      title="All changes"
      description="Who has changed what, here, by the administration API and by the command line. Names of fields are kept and never their values, but for roles and other rights."
    >
      <Card padding={0}>
        <Paged
          list={lines}
          one="change"
          rows={8}
          above={
            <Group p="md">
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
          empty={
            <EmptyState icon={IconHistory} title="Nothing was changed">
              Each change leaves a line here.
            </EmptyState>
          }
        >
          {(rows) => <AuditRows lines={rows} ofAccounts />}
        </Paged>
      </Card>
    </Page>
  );
}
