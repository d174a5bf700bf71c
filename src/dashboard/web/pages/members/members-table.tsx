import { ActionIcon, Badge, Group, Menu, Text } from '@mantine/core';
import { IconDots, IconLink, IconUserMinus, IconUserShield } from '@tabler/icons-react';
import { useSession } from '../../api/session';
import { type Column, Rows } from '../../ui/rows';
import { Time } from '../../ui/values';
import type { Member } from './members.api';
import { nameOf, roleName } from './roles';
import { Face } from '../../ui/face';

export type MemberAction = 'role' | 'link' | 'remove';

interface MembersTableProps {
  members: readonly Member[];
  /** What the person may do with members. */
  actions: readonly MemberAction[];
  onAction: (action: MemberAction, member: Member) => void;
}

/** The members of an account. */
export function MembersTable({ members, ...actions }: MembersTableProps) {
  return (
    <Rows
      label="Members"
      rows={members}
      keyOf={({ user_id }) => user_id}
      columns={columns}
      renderActions={(member) => <Actions member={member} {...actions} />}
      minWidth={640}
    />
  );
}

const columns: Column<Member>[] = [
  {
    title: 'Member',
    max: 440,
    cell: (member) => <Who member={member} />,
    detail: ({ name, email }) => name !== '' && email,
  },
  { title: 'Role', cell: ({ role }) => <Role role={role} /> },
  { title: 'Last seen', cell: (member) => <Seen member={member} /> },
  { title: 'Joined', cell: ({ since }) => <Time value={since} /> },
];

function Who({ member }: { member: Member }) {
  const { user } = useSession();
  return (
    <Group gap="sm" wrap="nowrap" miw={0}>
      <Face size={28} name={nameOf(member)} />
      <Text size="sm" fw={550} truncate title={nameOf(member)}>
        {nameOf(member)}
      </Text>
      {member.user_id === user.id && <Badge color="gray">You</Badge>}
      {member.disabled && <Badge color="red">Cannot sign in</Badge>}
    </Group>
  );
}

/** The gateway knows it to half an hour or so. */
function Seen({ member: { user_id, last_seen_at } }: { member: Member }) {
  const { user } = useSession();
  return user_id === user.id ? 'Now' : <Time value={last_seen_at} />;
}

const colors: Record<string, string> = { owner: 'signal', admin: 'blue' };

/** What somebody is in the account. */
export const Role = ({ role }: { role: string }) => <Badge color={colors[role] ?? 'gray'}>{roleName(role)}</Badge>;

function Actions({ member, actions, onAction }: { member: Member } & Pick<MembersTableProps, 'actions' | 'onAction'>) {
  const { user } = useSession();
  if (actions.length === 0) return null;
  return (
    <Menu>
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" aria-label={`Actions for ${nameOf(member)}`}>
          <IconDots size={18} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {actions.includes('role') && (
          <Menu.Item leftSection={<IconUserShield size={16} />} onClick={() => onAction('role', member)}>
            Change role
          </Menu.Item>
        )}
        {actions.includes('link') && !member.disabled && (
          <Menu.Item leftSection={<IconLink size={16} />} onClick={() => onAction('link', member)}>
            Make a sign-in link
          </Menu.Item>
        )}
        {actions.includes('remove') && (
          <Menu.Item color="red" leftSection={<IconUserMinus size={16} />} onClick={() => onAction('remove', member)}>
            {member.user_id === user.id ? 'Leave' : 'Remove'}
          </Menu.Item>
        )}
      </Menu.Dropdown>
    </Menu>
  );
}
