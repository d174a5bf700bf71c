import { Modal, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { sessionQuery } from '../api/session';
import { OidcButtons } from '../sign-in/oidc-buttons';
import { PasswordForm } from '../sign-in/password-form';
import { signInOptions } from '../sign-in/sign-in-options';
import { Answered } from '../ui/lists';

/** Has somebody whose session has ended sign in again, above the page as they left it. */
export default function SessionEnded() {
  const options = useQuery(signInOptions);
  // Others sign in elsewhere, and come back.
  useQuery({ ...sessionQuery, refetchOnWindowFocus: 'always' });
  return (
    <Modal opened onClose={() => undefined} withCloseButton={false} zIndex={1_000} title="Your session has ended">
      <Stack>
        <Text size="sm">Sign in again to go on where you were. What you have typed is still there.</Text>
        <Answered query={options} rows={2}>
          {(found) => (
            <>
              <OidcButtons options={found} next="/" target="_blank" />
              {found.password && <PasswordForm forgot={found.link_by_mail ? '/sign-in?forgot' : undefined} />}
            </>
          )}
        </Answered>
      </Stack>
    </Modal>
  );
}
