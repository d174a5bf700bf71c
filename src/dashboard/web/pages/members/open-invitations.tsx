import { Card, Group, Modal, Stack, Text, Title } from '@mantine/core';
import { IconRefresh, IconTrash } from '@tabler/icons-react';
import { useState } from 'react';
import { IconAction } from '../../ui/icon-action';
import { Paged } from '../../ui/lists';
import { notifyDone, notifyFailure } from '../../ui/notify';
import { Time } from '../../ui/values';
import { MadeLink } from './made-link';
import { type Invitation, type MadeInvitation, type MemberRole, useInvitations, useInvite, useWithdraw } from './members.api';
import { Role } from './members-table';

/** Who is invited and has not come yet. Nothing is shown where nobody is. */
export function OpenInvitations() {
  const invitations = useInvitations();
  const [made, setMade] = useState<MadeInvitation>();
  return (
    <>
      {invitations.query.data?.data.length !== 0 && (
        <Card padding={0} component="section" aria-label="Open invitations">
          <Title order={2} size="h5" p="md">
            Open invitations
          </Title>
          <Paged list={invitations} one="invitation" rows={1} empty={null}>
            {(rows) => rows.toReversed().map((invitation) => <Row key={invitation.id} invitation={invitation} onMade={setMade} />)}
          </Paged>
        </Card>
      )}
      <Modal opened={made !== undefined} onClose={() => setMade(undefined)} size="lg" title="A new link" closeOnClickOutside={false}>
        {made && <MadeLink {...made} onClose={() => setMade(undefined)} />}
      </Modal>
    </>
  );
}

// A change takes its row away, and callbacks given to `mutate` end with it: the promise does not.
function Row({ invitation, onMade }: { invitation: Invitation; onMade: (made: MadeInvitation) => void }) {
  const renew = useInvite();
  const withdraw = useWithdraw();
  const { email, role, expires_at } = invitation;
  return (
    <Group px="md" py="sm" justify="space-between" wrap="nowrap" style={{ borderTop: '1px solid var(--line)' }}>
      <Stack gap={4} miw={0}>
        <Text size="sm" truncate title={email}>
          {email}
        </Text>
        <Group gap={8}>
          <Role role={role} />
          <Text size="xs" c="dimmed">
            Ends <Time value={expires_at} />
          </Text>
        </Group>
      </Stack>
      <Group gap={4} wrap="nowrap">
        <IconAction
          icon={IconRefresh}
          label="Make a new link; the one before ends"
          name={`Make a new link for ${email}`}
          loading={renew.isPending}
          onClick={() => void renew.mutateAsync({ email, role: role as MemberRole }).then(onMade, notifyFailure)}
        />
        <IconAction
          icon={IconTrash}
          label="Withdraw"
          name={`Withdraw the invitation of ${email}`}
          loading={withdraw.isPending}
          onClick={() =>
            void withdraw.mutateAsync(invitation).then(() => notifyDone(`The invitation of ${email} is withdrawn.`), notifyFailure)
          }
        />
      </Group>
    </Group>
  );
}
