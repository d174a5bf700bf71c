import { ActionIcon, Avatar, Badge, Box, Group, Menu, Stack, Table, Text, VisuallyHidden } from '@mantine/core';
import { IconDots, IconLink, IconUserMinus, IconUserShield } from '@tabler/icons-react';
import { useSession } from '../../api/session';
import { Time } from '../../ui/values';
import type { Member } from './members.api';
import { nameOf, roleName } from './roles';

export type MemberAction = 'role' | 'link' | 'remove';

interface MembersTableProps {
  members: readonly Member[];
  /** What the person may do with members. */
  actions: readonly MemberAction[];
  onAction: (action: MemberAction, member: Member) => void;
}

/** Members as rows, and on a phone as cards below one another. */
export function MembersTable({ members, ...actions }: MembersTableProps) {
  return (
    <>
      <Table.ScrollContainer minWidth={640} visibleFrom="sm">
        <Table highlightOnHover>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Member</Table.Th>
              <Table.Th>Role</Table.Th>
              <Table.Th>Last seen</Table.Th>
              <Table.Th>Joined</Table.Th>
              <Table.Th w={48}>
                <VisuallyHidden>Actions</VisuallyHidden>
              </Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {members.map((member) => (
              <Table.Tr key={member.user_id}>
                <Table.Td maw={360}>
                  <Who member={member} />
                </Table.Td>
                <Table.Td>
                  <Role role={member.role} />
                </Table.Td>
                <Table.Td>
                  <Seen member={member} />
                </Table.Td>
                <Table.Td>
                  <Time value={member.since} />
                </Table.Td>
                <Table.Td>
                  <Actions member={member} {...actions} />
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
      <Stack gap={0} hiddenFrom="sm">
        {members.map((member) => (
          <Box key={member.user_id} p="md" style={{ borderBottom: '1px solid var(--line)' }}>
            <Group justify="space-between" wrap="nowrap" align="flex-start">
              <Who member={member} />
              <Actions member={member} {...actions} />
            </Group>
            <Group gap="sm" mt="xs">
              <Role role={member.role} />
              <Text size="xs" c="dimmed">
                Last seen: <Seen member={member} />
              </Text>
            </Group>
          </Box>
        ))}
      </Stack>
    </>
  );
}

function Who({ member }: { member: Member }) {
  const { user } = useSession();
  return (
    <Group gap="sm" wrap="nowrap" miw={0}>
      <Avatar size={34} name={nameOf(member)} color="initials" aria-hidden />
      <Stack gap={0} miw={0}>
        <Group gap={8} wrap="nowrap">
          <Text size="sm" fw={550} truncate title={nameOf(member)}>
            {nameOf(member)}
          </Text>
          {member.user_id === user.id && <Badge color="gray">You</Badge>}
          {member.disabled && <Badge color="red">Cannot sign in</Badge>}
        </Group>
        {member.name !== '' && (
          <Text size="xs" c="dimmed" truncate title={member.email}>
            {member.email}
          </Text>
        )}
      </Stack>
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
