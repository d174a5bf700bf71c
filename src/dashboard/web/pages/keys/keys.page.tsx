import { Button, Card, Group, SegmentedControl } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconKey, IconPlus } from '@tabler/icons-react';
import { useState } from 'react';
import type { Role } from '../../api/session';
import { useAccount } from '../../shell/account';
import { useAddress } from '../../ui/address';
import { later } from '../../ui/later';
import { Paged, Search } from '../../ui/lists';
import { Page } from '../../ui/page';
import { useEnvironment } from '../../ui/preferences';
import { EmptyState } from '../../ui/states';
import { WhenOpened } from '../../ui/when-opened';
import { useBoundBy, useBudgets } from './budgets';
import { RevokeKey, RotateKey } from './end-key';
import { type Key, type MadeKey, useKeys } from './keys.api';
import { type KeyAction, KeysTable } from './keys-table';

const CreateKey = later(() => import('./create-key'));
const EditKey = later(() => import('./edit-key'));
const MadeKeyDialog = later(() => import('./made-key'));

const actionsOf = (role: Role): KeyAction[] =>
  role === 'viewer' ? [] : role === 'developer' ? ['rotate', 'revoke'] : ['edit', 'rotate', 'revoke'];

/** The keys of an account in one environment. */
export default function KeysPage() {
  const account = useAccount();
  const [environment] = useEnvironment();
  const [params, change] = useAddress();
  const all = params.get('status') === 'all';
  const keys = useKeys(!all);
  const [creating, create] = useDisclosure(false);
  const [made, setMade] = useState<MadeKey>();
  const [acting, setActing] = useState<{ action: KeyAction; key: Key }>();
  const listed = keys.query.data?.data ?? [];
  const boundBy = useBoundBy(listed);
  const spentOf = useBudgets(listed, boundBy);
  const mayCreate = account.role !== 'viewer';
  const createButton = mayCreate && (
    <Button leftSection={<IconPlus size={16} />} onClick={create.open}>
      Create key
    </Button>
  );
  const show = (key: MadeKey) => {
    create.close();
    setActing(undefined);
    setMade(key);
  };
  const target = (action: KeyAction): Key | undefined => (acting?.action === action ? acting.key : undefined);
  const close = () => setActing(undefined);
  return (
    <Page
      ofEnvironment
      title="API keys"
      description={`Applications call the gateway with these. You see the keys of the ${environment} environment.`}
      actions={createButton}
    >
      <Card padding={0}>
        <Paged
          list={keys}
          one="key"
          above={
            <Group p="md" gap="sm">
              <Search label="Find by name or key" value={keys.search} onChange={keys.find} />
              <SegmentedControl
                aria-label="Which keys are shown"
                value={all ? 'all' : 'active'}
                onChange={(value) => change({ status: value === 'all' ? value : undefined })}
                data={[
                  { value: 'active', label: 'Active' },
                  { value: 'all', label: 'All' },
                ]}
              />
            </Group>
          }
          empty={
            <EmptyState icon={IconKey} title={`No ${environment} keys ${all ? 'yet' : 'in use'}`} action={createButton}>
              Create a key, and paste one of the snippets that are shown with it. Each application should have a key of its own.
            </EmptyState>
          }
        >
          {(rows) => (
            <KeysTable
              keys={rows}
              spentOf={spentOf}
              boundBy={boundBy}
              actions={actionsOf(account.role)}
              onAction={(action, key) => setActing({ action, key })}
            />
          )}
        </Paged>
      </Card>
      <WhenOpened opened={creating}>
        <CreateKey opened={creating} onClose={create.close} onMade={show} />
      </WhenOpened>
      <WhenOpened opened={made !== undefined}>
        <MadeKeyDialog made={made} onClose={() => setMade(undefined)} />
      </WhenOpened>
      <WhenOpened opened={acting?.action === 'edit'}>
        <EditKey target={target('edit')} onClose={close} />
      </WhenOpened>
      <RotateKey target={target('rotate')} onClose={close} onMade={show} />
      <RevokeKey target={target('revoke')} onClose={close} />
    </Page>
  );
}
