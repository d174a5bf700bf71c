import { Button, Card, Group, SegmentedControl } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconKey, IconPlus, IconSearch } from '@tabler/icons-react';
import { lazy, useState } from 'react';
import { useKeys } from '../../api/keys';
import type { Role } from '../../api/session';
import { useAccount } from '../../shell/account';
import { Answered, Search } from '../../ui/lists';
import { Page } from '../../ui/page';
import { useEnvironment } from '../../ui/preferences';
import { EmptyState } from '../../ui/states';
import { WhenOpened } from '../../ui/when-opened';
import { useBoundBy, useBudgets } from './budgets';
import { RevokeKey, RotateKey } from './end-key';
import type { Key, MadeKey } from './keys.api';
import { type KeyAction, KeysTable } from './keys-table';

const CreateKey = lazy(() => import('./create-key'));
const EditKey = lazy(() => import('./edit-key'));
const MadeKeyDialog = lazy(() => import('./made-key'));

const actionsOf = (role: Role): KeyAction[] =>
  role === 'viewer' ? [] : role === 'developer' ? ['rotate', 'revoke'] : ['edit', 'rotate', 'revoke'];

/** The keys of an account in one environment. */
export default function KeysPage() {
  const account = useAccount();
  const [environment] = useEnvironment();
  const keys = useKeys(account.id);
  const [shown, setShown] = useState('active');
  const [search, setSearch] = useState('');
  const [creating, create] = useDisclosure(false);
  const [made, setMade] = useState<MadeKey>();
  const [acting, setActing] = useState<{ action: KeyAction; key: Key }>();
  const all = keys.data ?? [];
  const boundBy = useBoundBy();
  const spentOf = useBudgets(all, boundBy);
  const ofEnvironment = all.filter((key) => key.environment === environment);
  const wanted = search.trim().toLowerCase();
  const listed = ofEnvironment
    .filter(({ status }) => shown === 'all' || status === 'active')
    .filter(({ label, display, id, project_id }) => `${label} ${display} ${id} ${project_id ?? ''}`.toLowerCase().includes(wanted))
    .reverse();
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
        <Answered query={keys}>
          {() =>
            ofEnvironment.length === 0 ? (
              <EmptyState icon={IconKey} title={`No ${environment} keys yet`} action={createButton}>
                Create a key, and paste one of the snippets that are shown with it. Each application should have a key of its own.
              </EmptyState>
            ) : (
              <>
                <Group p="md" gap="sm">
                  <Search label="Find by name or key" value={search} onChange={setSearch} />
                  <SegmentedControl
                    aria-label="Which keys are shown"
                    value={shown}
                    onChange={setShown}
                    data={[
                      { value: 'active', label: 'Active' },
                      { value: 'all', label: 'All' },
                    ]}
                  />
                </Group>
                {listed.length === 0 ? (
                  <EmptyState icon={IconSearch} title="No key is like that">
                    Change what you search for, or show all keys: revoked and expired ones are hidden.
                  </EmptyState>
                ) : (
                  <KeysTable
                    keys={listed}
                    spentOf={spentOf}
                    boundBy={boundBy}
                    actions={actionsOf(account.role)}
                    onAction={(action, key) => setActing({ action, key })}
                  />
                )}
              </>
            )
          }
        </Answered>
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
