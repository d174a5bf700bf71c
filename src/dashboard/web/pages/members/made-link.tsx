import { Button, Group, Stack, Text } from '@mantine/core';
import { ShownOnce } from '../../ui/shown-once';
import { Time } from '../../ui/values';
import type { MadeInvitation } from './members.api';

type MadeLinkProps = Pick<MadeInvitation, 'email' | 'link' | 'expires_at' | 'mailed'> & {
  /** Whoever has the link is signed in as its person. */
  secret?: boolean;
  onClose: () => void;
};

/** A link that was just made for somebody, which nobody can show again. */
export function MadeLink({ email, link, expires_at, mailed, secret = false, onClose }: MadeLinkProps) {
  return (
    <Stack>
      <Text size="sm">
        {mailed ? (
          <>
            It is on its way to <b>{email}</b> by mail. You may also hand it on yourself:
          </>
        ) : (
          <>
            Hand this link to <b>{email}</b>
            {secret ? ', and to nobody else: whoever opens it is signed in as them.' : ', by whatever way.'}
          </>
        )}
      </Text>
      <ShownOnce text={link ?? ''} label="Copy link" testId="made-link" />
      <Group justify="space-between">
        <Text size="xs" c="dimmed">
          Shown this once. It works once, and ends <Time value={expires_at} />.
        </Text>
        <Button variant="default" onClick={onClose}>
          Done
        </Button>
      </Group>
    </Stack>
  );
}
