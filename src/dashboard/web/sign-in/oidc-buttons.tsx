import { Button, Divider, Stack } from '@mantine/core';
import type { Schemas } from '../api/client';

type Options = Pick<Schemas['SignInOptionsView'], 'oidc' | 'password'>;

/** A button for each provider of identities, above what follows it. @param next an address of the dashboard */
export function OidcButtons({ options: { oidc, password }, next }: { options: Options; next: string }) {
  if (oidc.length === 0) return null;
  return (
    <Stack>
      {oidc.map(({ id, label }) => (
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
      {password && <Divider label="or" />}
    </Stack>
  );
}
