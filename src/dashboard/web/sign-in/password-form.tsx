import { Anchor, Button, Group, PasswordInput, Stack, Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link } from 'wouter';
import { answerOf, api } from '../api/client';
import { begin } from '../api/session';
import { FormError } from '../ui/form-error';
import { EmailField } from './email-field';

/** @param forgot where a link is asked for; absent: the gateway sends no mail */
export function PasswordForm({ forgot }: { forgot: string | undefined }) {
  const client = useQueryClient();
  const form = useForm({ mode: 'uncontrolled', initialValues: { email: '', password: '' } });
  const signIn = useMutation({
    mutationFn: (body: { email: string; password: string }) => answerOf(api.POST('/admin/v1/session', { body })),
    onSuccess: (session) => begin(client, session),
  });
  return (
    <form onSubmit={form.onSubmit((values) => signIn.mutate(values))}>
      <Stack>
        <FormError error={signIn.error} />
        <EmailField {...form.getInputProps('email')} />
        <PasswordInput
          label="Password"
          name="password"
          autoComplete="current-password"
          required
          withAsterisk={false}
          size="md"
          {...form.getInputProps('password')}
        />
        <Button type="submit" size="md" loading={signIn.isPending}>
          Sign in
        </Button>
        <Group justify="center">
          {forgot === undefined ? (
            <Text size="sm" c="dimmed" ta="center">
              Forgot your password? An operator can make a link that signs you in.
            </Text>
          ) : (
            <Anchor component={Link} href={forgot} size="sm">
              Forgot your password?
            </Anchor>
          )}
        </Group>
      </Stack>
    </form>
  );
}
