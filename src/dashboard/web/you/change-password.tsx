import { Button, Group, PasswordInput, SimpleGrid, Stack } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { answerOf, api } from '../api/client';
import { begin, useSession } from '../api/session';
import { MIN_PASSWORD, passwordProblem } from '../sign-in/new-password-form';
import { FormError } from '../ui/form-error';
import { notifyDone } from '../ui/notify';

/** Replaces the password, or sets the first one. */
export function ChangePassword() {
  const { user } = useSession();
  const client = useQueryClient();
  const form = useForm({
    mode: 'uncontrolled',
    initialValues: { current: '', password: '' },
    validate: {
      current: (current) => (user.has_password && current === '' ? 'The password that you have now' : null),
      password: passwordProblem,
    },
  });
  const change = useMutation({
    mutationFn: ({ current, password }: { current: string; password: string }) =>
      answerOf(api.PUT('/admin/v1/session/password', { body: { password, ...(user.has_password && { current }) } })),
    onSuccess: (session) => {
      begin(client, session);
      void client.invalidateQueries({ queryKey: ['sessions'] });
      form.reset();
      notifyDone(user.has_password ? 'Your password is changed.' : 'Your password is set.');
    },
  });
  return (
    <form onSubmit={form.onSubmit((values) => change.mutate(values))}>
      <Stack>
        <FormError error={change.error} />
        <input type="hidden" name="username" autoComplete="username" value={user.email} />
        <SimpleGrid cols={{ base: 1, xs: user.has_password ? 2 : 1 }}>
          {user.has_password && (
            <PasswordInput
              label="Current password"
              autoComplete="current-password"
              maxLength={256}
              aria-invalid={form.errors['current'] !== undefined}
              key={form.key('current')}
              {...form.getInputProps('current')}
            />
          )}
          <PasswordInput
            label="New password"
            placeholder={`At least ${MIN_PASSWORD} characters`}
            autoComplete="new-password"
            maxLength={256}
            aria-invalid={form.errors['password'] !== undefined}
            key={form.key('password')}
            {...form.getInputProps('password')}
          />
        </SimpleGrid>
        <Group>
          <Button type="submit" variant="default" loading={change.isPending}>
            {user.has_password ? 'Change the password' : 'Set a password'}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
