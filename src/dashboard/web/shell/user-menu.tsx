import { Group, type MantineColorScheme, Menu, Stack, Text, UnstyledButton, useMantineColorScheme, VisuallyHidden } from '@mantine/core';
import { IconBook, IconDotsVertical, IconLogout, IconUser } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { Link } from 'wouter';
import { answerOf, api } from '../api/client';
import { useSession } from '../api/session';
import { Face } from '../ui/face';
import { notifyFailure } from '../ui/notify';
import { useExactCredits } from '../ui/preferences';

const schemes = [
  ['light', 'Light'],
  ['dark', 'Dark'],
  ['auto', 'As the system'],
] as const;

/** Who is signed in, and what they prefer. */
export function UserMenu() {
  const { user } = useSession();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const [exact, setExact] = useExactCredits();
  const signOut = useMutation({
    mutationFn: () => answerOf(api.DELETE('/admin/v1/session')),
    // Loading the page anew forgets all of it. Whoever signs in next may be somebody else, and does not come back here.
    onSuccess: () => globalThis.location.assign('/dashboard/sign-in'),
    onError: notifyFailure,
  });
  return (
    <Menu position="top-start" width={232}>
      <Menu.Target>
        <UnstyledButton w="100%" p={6}>
          <Group gap="sm" wrap="nowrap">
            <Face size={30} name={user.name || user.email} />
            <Stack gap={0} flex={1} miw={0}>
              <Text size="sm" fw={550} truncate>
                {user.name || user.email}
              </Text>
              <VisuallyHidden>, preferences and sign out, </VisuallyHidden>
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
        <Menu.RadioGroup value={colorScheme} onChange={(scheme) => setColorScheme(scheme as MantineColorScheme)}>
          {schemes.map(([scheme, label]) => (
            <Menu.RadioItem key={scheme} value={scheme} closeMenuOnClick={false}>
              {label}
            </Menu.RadioItem>
          ))}
        </Menu.RadioGroup>
        <Menu.Divider />
        <Menu.Label>Numbers</Menu.Label>
        <Menu.CheckboxItem checked={exact} onChange={setExact} closeMenuOnClick={false}>
          Credits to the billionth
        </Menu.CheckboxItem>
        <Menu.Divider />
        <Menu.Item component="a" href="/docs" leftSection={<IconBook size={16} />}>
          API reference
        </Menu.Item>
        <Menu.Item component={Link} href="/you" leftSection={<IconUser size={16} />}>
          Your account
        </Menu.Item>
        <Menu.Item leftSection={<IconLogout size={16} />} onClick={() => signOut.mutate()}>
          Sign out
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
