import { Button, Divider, Stack } from '@mantine/core';
import type { Schemas } from '../api/client';

type Options = Pick<Schemas['SignInOptionsView'], 'oidc' | 'password'>;

interface OidcButtonsProps {
  options: Options;
  /** An address of the dashboard. */
  next: string;
  target?: '_blank';
}

/** A button for each provider of identities, above what follows it. */
export function OidcButtons({ options: { oidc, password }, next, target }: OidcButtonsProps) {
  if (oidc.length === 0) return null;
  return (
    <Stack>
      {oidc.map(({ id, label }) => (
        <Button
          key={id}
          component="a"
          variant="default"
          size="md"
          target={target}
          href={`/admin/v1/session/oidc/${encodeURIComponent(id)}/start?next=${encodeURIComponent(`/dashboard${next}`)}`}
        >
          Continue with {label}
        </Button>
      ))}
      {password && <Divider label="or" />}
    </Stack>
  );
}
