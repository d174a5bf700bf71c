import { Alert, Anchor, Button, PasswordInput, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useLocation, useParams } from 'wouter';
import { begin, type Invitation, send, type Session } from '../api/session';
import { PageLoading } from '../ui/states';
import { SignInFrame } from './frame';
import { MIN_PASSWORD, passwordProblem } from './new-password-form';

/** Where a link of an invitation leads. */
export default function InvitationPage() {
  const { token } = useParams<{ token: string }>();
  const invitation = useQuery({
    queryKey: ['invitation', token],
    queryFn: () => send<Invitation>('GET', `invitations/${encodeURIComponent(token)}`),
  });
  if (invitation.isPending) return <PageLoading />;
  if (invitation.isError)
    return (
      <SignInFrame title="This invitation cannot be used">
        <Stack>
          <Text size="sm">{invitation.error.message}</Text>
          <Text size="sm" c="dimmed">
            It may have been used already, withdrawn, or have expired. Ask whoever has sent it for a new one.
          </Text>
          <Anchor component={Link} href="/sign-in" size="sm">
            Sign in
          </Anchor>
        </Stack>
      </SignInFrame>
    );
  return <Accept token={token} invitation={invitation.data} />;
}

function Accept({ token, invitation }: { token: string; invitation: Invitation }) {
  const client = useQueryClient();
  const [, go] = useLocation();
  const form = useForm({
    mode: 'uncontrolled',
    initialValues: { name: '', password: '' },
    validate: { name: (name) => (name.trim() === '' ? 'How should the others see you?' : null), password: passwordProblem },
  });
  const accept = useMutation({
    mutationFn: (body: { name: string; password: string }) =>
      send<Session>('POST', `invitations/${encodeURIComponent(token)}/accept`, body),
    onSuccess: (session) => {
      begin(client, session);
      go('/', { replace: true });
    },
  });
  return (
    <SignInFrame title={`Join ${invitation.account_name}`} description={`You are invited as ${invitation.role}, with ${invitation.email}.`}>
      <form onSubmit={form.onSubmit((values) => accept.mutate(values))}>
        <Stack>
          {accept.error && (
            <Alert color="red" role="alert">
              {accept.error.message}
            </Alert>
          )}
          <TextInput label="Your name" autoComplete="name" autoFocus size="md" {...form.getInputProps('name')} />
          <PasswordInput
            label="Password"
            description={`At least ${MIN_PASSWORD} characters`}
            autoComplete="new-password"
            size="md"
            {...form.getInputProps('password')}
          />
          <Button type="submit" size="md" loading={accept.isPending}>
            Join
          </Button>
        </Stack>
      </form>
    </SignInFrame>
  );
}
