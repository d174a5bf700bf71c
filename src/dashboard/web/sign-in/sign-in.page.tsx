import { Alert, Button, Divider, PasswordInput, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Redirect, useSearchParams } from 'wouter';
import { answerOf, api } from '../api/client';
import { begin, sessionQuery } from '../api/session';
import { ErrorState, PageLoading } from '../ui/states';
import { SignInFrame } from './frame';
import { LinkSignIn } from './link-sign-in';

/** Signs in by password, by another provider of identities, or by a link that is used once. */
export default function SignInPage() {
  const [params] = useSearchParams();
  const session = useQuery(sessionQuery);
  const options = useQuery({ queryKey: ['sign-in-options'], queryFn: () => answerOf(api.GET('/admin/v1/sign-in-options')) });
  const next = safeAddress(params.get('next'));
  const link = params.get('link');
  if (link !== null) return <LinkSignIn token={link} next={next} />;
  if (session.data) return <Redirect to={next} replace />;
  if (options.isPending) return <PageLoading />;
  return (
    <SignInFrame title="Sign in" description="Keys, credits and requests of your accounts.">
      {options.isError ? (
        <ErrorState error={options.error} retry={() => void options.refetch()} />
      ) : (
        <Stack>
          {params.get('error') && (
            <Alert color="red" role="alert">
              {oidcProblem(params.get('error')!)}
            </Alert>
          )}
          {!options.data.has_people && <NobodyYet />}
          {options.data.oidc.map(({ id, label }) => (
            <Button
              key={id}
              component="a"
              variant="default"
              size="md"
              href={`/admin/v1/session/oidc/${encodeURIComponent(id)}/start?next=${encodeURIComponent(`/dashboard${next}`)}`}
            >
              Continue with {label}
            </Button>
          ))}
          {options.data.oidc.length > 0 && options.data.password && <Divider label="or" />}
          {options.data.password && <PasswordForm />}
        </Stack>
      )}
    </SignInFrame>
  );
}

function PasswordForm() {
  const client = useQueryClient();
  const form = useForm({ mode: 'uncontrolled', initialValues: { email: '', password: '' } });
  const signIn = useMutation({
    mutationFn: (body: { email: string; password: string }) => answerOf(api.POST('/admin/v1/session', { body })),
    onSuccess: (session) => begin(client, session),
  });
  return (
    <form onSubmit={form.onSubmit((values) => signIn.mutate(values))}>
      <Stack>
        {signIn.error && (
          <Alert color="red" role="alert">
            {signIn.error.message}
          </Alert>
        )}
        <TextInput
          label="E-mail"
          type="email"
          name="email"
          autoComplete="username"
          required
          withAsterisk={false}
          autoFocus
          size="md"
          {...form.getInputProps('email')}
        />
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
      </Stack>
    </form>
  );
}

function NobodyYet() {
  return (
    <Alert variant="light" title="Nobody can sign in yet">
      <Text size="sm">
        The gateway prints a link for its first owner when it is started for the first time. Open that link, or have an operator make a new
        one on the command line.
      </Text>
    </Alert>
  );
}

function oidcProblem(code: string): string {
  if (code === 'access_denied') return 'The sign-in was cancelled, or you were refused.';
  return 'The sign-in did not work. Your address may not be verified, or nobody has invited it. Try again, or ask an owner.';
}

/** @returns an address of this dashboard, whatever the query string says */
function safeAddress(next: string | null): string {
  return next !== null && /^\/(?![/\\])/.test(next) && !next.startsWith('/sign-in') ? next : '/';
}
