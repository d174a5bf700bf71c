import { Button, Card, Group, Stack, Tabs } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconPlus, IconUserPlus, IconUsers } from '@tabler/icons-react';
import { useState } from 'react';
import { useLocation } from 'wouter';
import type { Role } from '../../api/session';
import { useAccount } from '../../shell/account';
import { Paged, Search } from '../../ui/lists';
import { Page } from '../../ui/page';
import { EmptyState } from '../../ui/states';
import { CreateToken } from './create-token';
import { Invite } from './invite';
import { ChangeRole, RemoveMember, SignInLink } from './member-dialogs';
import { type Member, useMembers, useOwners } from './members.api';
import { type MemberAction, MembersTable } from './members-table';
import { OpenInvitations } from './open-invitations';
import { Tokens } from './tokens';

const actionsOf = (role: Role): MemberAction[] =>
  role === 'operator' ? ['role', 'link', 'remove'] : role === 'owner' ? ['role', 'remove'] : [];

/** The people of the account, and its tokens of the administration. */
export default function MembersPage() {
  const account = useAccount();
  const [location, go] = useLocation();
  const [inviting, invite] = useDisclosure(false);
  const [creating, create] = useDisclosure(false);
  const own = account.role === 'operator' || account.role === 'owner';
  const address = `/accounts/${encodeURIComponent(account.id)}/members`;
  const tab = own && location.endsWith('/tokens') ? 'tokens' : 'people';
  const button =
    tab === 'people' ? (
      <Button leftSection={<IconUserPlus size={16} />} onClick={invite.open}>
        Invite
      </Button>
    ) : (
      <Button leftSection={<IconPlus size={16} />} onClick={create.open}>
        Create token
      </Button>
    );
  return (
    <Page
      title="Members"
      description={
        own
          ? 'Who may do what in this account, people and programs.'
          : 'Who belongs to this account. Its owners invite people and give roles.'
      }
      actions={own && button}
    >
      {own ? (
        <Tabs
          value={tab}
          onChange={(chosen) => go(chosen === 'tokens' ? `${address}/tokens` : address, { replace: true })}
          keepMounted={false}
        >
          <Tabs.List mb="md">
            <Tabs.Tab value="people">People</Tabs.Tab>
            <Tabs.Tab value="tokens">Administration tokens</Tabs.Tab>
          </Tabs.List>
          <Tabs.Panel value="people">
            <Stack gap="lg">
              <People />
              <OpenInvitations />
            </Stack>
          </Tabs.Panel>
          <Tabs.Panel value="tokens">
            <Tokens onCreate={create.open} />
          </Tabs.Panel>
        </Tabs>
      ) : (
        <People />
      )}
      {own && <Invite opened={inviting} onClose={invite.close} />}
      {own && <CreateToken opened={creating} onClose={create.close} />}
    </Page>
  );
}

function People() {
  const account = useAccount();
  const members = useMembers();
  const { data: owners = [] } = useOwners();
  const [acting, setActing] = useState<{ action: MemberAction; member: Member }>();
  const target = (action: MemberAction): Member | undefined => (acting?.action === action ? acting.member : undefined);
  const close = () => setActing(undefined);
  return (
    <Card padding={0} component="section" aria-label="Members">
      <Paged
        list={members}
        one="member"
        rows={3}
        above={
          <Group p="md">
            <Search label="Find by name or address" value={members.search} onChange={members.find} />
          </Group>
        }
        empty={
          <EmptyState icon={IconUsers} title="Nobody belongs to this account yet">
            Operators see it all the same. Invite its first owner, who invites the others.
          </EmptyState>
        }
      >
        {(rows) => (
          <MembersTable members={rows} actions={actionsOf(account.role)} onAction={(action, member) => setActing({ action, member })} />
        )}
      </Paged>
      <ChangeRole target={target('role')} owners={owners} onClose={close} />
      <SignInLink target={target('link')} onClose={close} />
      <RemoveMember target={target('remove')} owners={owners} onClose={close} />
    </Card>
  );
}
