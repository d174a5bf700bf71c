import { Anchor, Button, Stack } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Link, useLocation } from 'wouter';
import { answerOf, api } from '../api/client';
import { begin, type Session } from '../api/session';
import { FormError } from '../ui/form-error';
import { SignInFrame } from './frame';
import { NewPasswordForm } from './new-password-form';

/** Signs in by a link that is used once. It waits for a click, since programs that look at links follow them too. */
export function LinkSignIn({ token, next }: { token: string; next: string }) {
  const client = useQueryClient();
  const [, go] = useLocation();
  const [session, setSession] = useState<Session>();
  const signIn = useMutation({
    mutationFn: () => answerOf(api.POST('/admin/v1/session/link', { body: { token } })),
    onSuccess: (made) => {
      begin(client, made);
      setSession(made);
    },
  });
  const done = () => go(next, { replace: true });
  if (session)
    return (
      <SignInFrame title="Choose a password" description="With it you can sign in again as the link cannot be used twice.">
        <NewPasswordForm email={session.user.email} onDone={done} />
        <Button variant="subtle" fullWidth mt="sm" onClick={done}>
          Not now
        </Button>
      </SignInFrame>
    );
  return (
    <SignInFrame title="Sign in" description="This link signs you in once.">
      <Stack>
        <FormError error={signIn.error} />
        <Button size="md" autoFocus loading={signIn.isPending} onClick={() => signIn.mutate()}>
          Continue
        </Button>
        {signIn.error && (
          <Anchor component={Link} href="/sign-in" size="sm" ta="center">
            Sign in in another way
          </Anchor>
        )}
      </Stack>
    </SignInFrame>
  );
}
