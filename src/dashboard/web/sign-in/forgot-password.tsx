import { Anchor, Button, Stack, Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation } from '@tanstack/react-query';
import { Link } from 'wouter';
import { answerOf, api } from '../api/client';
import { FormError } from '../ui/form-error';
import { EmailField } from './email-field';
import { SignInFrame } from './frame';

/** Has a link sent to an address, if somebody signs in with it: the page is not told whether anybody does. */
export function ForgotPassword() {
  const form = useForm({ mode: 'uncontrolled', initialValues: { email: '' } });
  const ask = useMutation({
    mutationFn: (body: { email: string }) => answerOf(api.POST('/admin/v1/session/link-requests', { body })),
  });
  const back = (
    <Anchor component={Link} href="/sign-in" size="sm" ta="center">
      Back to sign in
    </Anchor>
  );
  if (ask.isSuccess)
    return (
      <SignInFrame title="Look into your mail">
        <Stack>
          <Text size="sm" role="status">
            If somebody signs in with <b>{ask.variables.email}</b>, a link is on its way there. It signs you in once, within 24 hours, and
            you can choose a new password then.
          </Text>
          <Text size="sm" c="dimmed">
            Nothing has come? An operator can make such a link too.
          </Text>
          {back}
        </Stack>
      </SignInFrame>
    );
  return (
    <SignInFrame title="Forgot your password?" description="You are sent a link that signs you in once.">
      <form onSubmit={form.onSubmit((values) => ask.mutate(values))}>
        <Stack>
          <FormError error={ask.error} />
          <EmailField {...form.getInputProps('email')} />
          <Button type="submit" size="md" loading={ask.isPending}>
            Send the link
          </Button>
          {back}
        </Stack>
      </form>
    </SignInFrame>
  );
}
