import { Anchor, Button, PasswordInput, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useLocation, useParams } from 'wouter';
import { answerOf, api, type Schemas } from '../api/client';
import { begin, sessionQuery } from '../api/session';
import { FormError } from '../ui/form-error';
import { PageLoading } from '../ui/states';
import { SignInFrame } from './frame';
import { MIN_PASSWORD, passwordProblem } from './new-password-form';
import { OidcButtons } from './oidc-buttons';
import { signInOptions } from './sign-in-options';

type Invitation = Schemas['ShownInvitationView'];

/** Where a link of an invitation leads. */
export default function InvitationPage() {
  const { token } = useParams<{ token: string }>();
  const session = useQuery(sessionQuery);
  const invitation = useQuery({
    queryKey: ['invitation', token],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: () => answerOf(api.GET('/admin/v1/invitations/{token}', { params: { path: { token } } })),
  });
  if (invitation.isPending || session.isPending) return <PageLoading />;
  if (invitation.isError)
    return (
      <SignInFrame title="This invitation cannot be used">
        <Stack>
          <Text size="sm">{invitation.error.message}</Text>
          <Anchor component={Link} href="/sign-in" size="sm">
            Sign in
          </Anchor>
        </Stack>
      </SignInFrame>
    );
  return <Accept token={token} invitation={invitation.data} asThemselves={session.data?.user.email === invitation.data.email} />;
}

interface AcceptProps {
  token: string;
  invitation: Invitation;
  /** Whoever is invited is signed in. */
  asThemselves: boolean;
}

function Accept({ token, invitation: { account_name, email, role, known }, asThemselves }: AcceptProps) {
  const client = useQueryClient();
  const [, go] = useLocation();
  const options = useQuery(signInOptions);
  const form = useForm({
    mode: 'uncontrolled',
    initialValues: { name: '', password: '' },
    validate: {
      name: (name) => (!known && name.trim() === '' ? 'How should the others see you?' : null),
      password: (password) => (known ? null : passwordProblem(password)),
    },
  });
  const accept = useMutation({
    mutationFn: (values: { name: string; password: string }) => {
      const body = asThemselves ? {} : known ? { password: values.password } : { ...values, name: values.name.trim() };
      return answerOf(api.POST('/admin/v1/invitations/{token}/accept', { params: { path: { token } }, body }));
    },
    onSuccess: (session) => {
      begin(client, session);
      go('/', { replace: true });
    },
  });
  return (
    <SignInFrame
      title={account_name === null ? 'Become an operator' : `Join ${account_name}`}
      description={`You are invited as ${role}, with ${email}.`}
    >
      <Stack>
        {!asThemselves && options.data && <OidcButtons options={options.data} next="/" />}
        <form onSubmit={form.onSubmit((values) => accept.mutate(values))}>
          <Stack>
            <FormError error={accept.error} />
            <input type="hidden" name="username" autoComplete="username" value={email} />
            {!known && <TextInput label="Your name" autoComplete="name" autoFocus size="md" {...form.getInputProps('name')} />}
            {!asThemselves && (
              <PasswordInput
                label={known ? 'Your password' : 'Password'}
                description={known ? 'You sign in with this address already.' : `At least ${MIN_PASSWORD} characters`}
                autoComplete={known ? 'current-password' : 'new-password'}
                autoFocus={known}
                size="md"
                {...form.getInputProps('password')}
              />
            )}
            <Button type="submit" size="md" loading={accept.isPending}>
              Join
            </Button>
          </Stack>
        </form>
      </Stack>
    </SignInFrame>
  );
}
