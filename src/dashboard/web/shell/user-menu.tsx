import { Avatar, Group, Menu, Stack, Text, UnstyledButton, useMantineColorScheme } from '@mantine/core';
import { IconCheck, IconDeviceDesktop, IconDotsVertical, IconLogout, IconMoon, IconSun } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { end, send, useSession } from '../api/session';
import { notifyFailure } from '../ui/notify';
import { useExactCredits } from '../ui/preferences';

const schemes = [
  ['light', 'Light', IconSun],
  ['dark', 'Dark', IconMoon],
  ['auto', 'As the system', IconDeviceDesktop],
] as const;

/** Who is signed in, and what they prefer. */
export function UserMenu() {
  const { user } = useSession();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const [exact, setExact] = useExactCredits();
  const client = useQueryClient();
  const signOut = useMutation({ mutationFn: () => send('DELETE', 'session'), onSuccess: () => end(client), onError: notifyFailure });
  const check = (on: boolean) => (on ? <IconCheck size={15} /> : undefined);
  return (
    <Menu position="top-start" width={232}>
      <Menu.Target>
        <UnstyledButton w="100%" p={6} aria-label={`${user.name || user.email}: preferences and sign out`}>
          <Group gap="sm" wrap="nowrap">
            <Avatar size={30} name={user.name || user.email} color="initials" aria-hidden />
            <Stack gap={0} flex={1} miw={0}>
              <Text size="sm" fw={550} truncate>
                {user.name || user.email}
              </Text>
              <Text size="xs" c="dimmed" truncate>
                {user.operator ? 'Operator' : user.email}
              </Text>
            </Stack>
            <IconDotsVertical size={16} aria-hidden />
          </Group>
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>Appearance</Menu.Label>
        {schemes.map(([scheme, label, Symbol]) => (
          <Menu.Item
            key={scheme}
            role="menuitemradio"
            aria-checked={colorScheme === scheme}
            closeMenuOnClick={false}
            leftSection={<Symbol size={16} />}
            rightSection={check(colorScheme === scheme)}
            onClick={() => setColorScheme(scheme)}
          >
            {label}
          </Menu.Item>
        ))}
        <Menu.Divider />
        <Menu.Label>Numbers</Menu.Label>
        <Menu.Item
          role="menuitemcheckbox"
          aria-checked={exact}
          closeMenuOnClick={false}
          rightSection={check(exact)}
          onClick={() => setExact(!exact)}
        >
          Credits to the billionth
        </Menu.Item>
        <Menu.Divider />
        <Menu.Item leftSection={<IconLogout size={16} />} onClick={() => signOut.mutate()}>
          Sign out
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
