import { Button, PasswordInput, Stack } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation } from '@tanstack/react-query';
import { answerOf, api } from '../api/client';
import { FormError } from '../ui/form-error';

/** The fewest characters of a password. */
export const MIN_PASSWORD = 10;

export const passwordProblem = (password: string): string | null =>
  password.length < MIN_PASSWORD ? `A password has at least ${MIN_PASSWORD} characters.` : null;

/** Gives whoever is signed in a password, or a new one. */
export function NewPasswordForm({ email, onDone }: { email: string; onDone: () => void }) {
  const form = useForm({ mode: 'uncontrolled', initialValues: { password: '' }, validate: { password: passwordProblem } });
  const change = useMutation({
    mutationFn: (body: { password: string }) => answerOf(api.PUT('/admin/v1/session/password', { body })),
    onSuccess: onDone,
  });
  return (
    <form onSubmit={form.onSubmit((values) => change.mutate(values))}>
      <Stack>
        <FormError error={change.error} />
        <input type="hidden" name="username" autoComplete="username" value={email} />
        <PasswordInput
          label="Password"
          description={`At least ${MIN_PASSWORD} characters; a few words are easy to remember.`}
          autoComplete="new-password"
          autoFocus
          size="md"
          aria-invalid={form.errors['password'] !== undefined}
          {...form.getInputProps('password')}
        />
        <Button type="submit" size="md" loading={change.isPending}>
          Save the password
        </Button>
      </Stack>
    </form>
  );
}
