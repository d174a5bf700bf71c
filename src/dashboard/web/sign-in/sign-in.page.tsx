import { Alert, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Redirect, useSearchParams } from 'wouter';
import { sessionQuery } from '../api/session';
import { ErrorState, PageLoading } from '../ui/states';
import { ForgotPassword } from './forgot-password';
import { SignInFrame } from './frame';
import { LinkSignIn } from './link-sign-in';
import { OidcButtons } from './oidc-buttons';
import { oidcProblem } from './oidc-problem';
import { PasswordForm } from './password-form';
import { safeAddress } from './safe-address';
import { signInOptions } from './sign-in-options';

/** Signs in by password, by another provider of identities, or by a link that is used once. */
export default function SignInPage() {
  const [params] = useSearchParams();
  const session = useQuery(sessionQuery);
  const options = useQuery(signInOptions);
  const next = safeAddress(params.get('next'));
  const link = params.get('link');
  const problem = params.get('error');
  if (link !== null) return <LinkSignIn token={link} next={next} />;
  if (session.data && !session.data.ended) return <Redirect to={next} replace />;
  if (options.isPending) return <PageLoading />;
  if (params.has('forgot') && options.data?.link_by_mail) return <ForgotPassword />;
  return (
    <SignInFrame title="Sign in" description="Keys, credits and requests of your accounts.">
      {options.isError ? (
        <ErrorState error={options.error} retry={() => void options.refetch()} />
      ) : (
        <Stack>
          {problem !== null && (
            <Alert color="red" role="alert">
              {oidcProblem(problem)}
            </Alert>
          )}
          {!options.data.has_people && <NobodyYet />}
          <OidcButtons options={options.data} next={next} />
          {options.data.password && <PasswordForm forgot={options.data.link_by_mail ? '/sign-in?forgot' : undefined} />}
        </Stack>
      )}
    </SignInFrame>
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
