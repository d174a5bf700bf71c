import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { useSession } from '../../api/session';
import { FormError } from '../../ui/form-error';
import { notifyDone } from '../../ui/notify';
import { MadeLink } from './made-link';
import { type Member, useChangeRole, useRemoveMember, useSignInLink } from './members.api';
import { RolePicker } from './role-picker';
import { isOnlyOwner, nameOf, roleName } from './roles';

interface DialogProps {
  target: Member | undefined;
  owners: readonly Member[];
  onClose: () => void;
}

/** Gives a member another role. */
export function ChangeRole({ target, owners, onClose }: DialogProps) {
  return (
    <Modal opened={target !== undefined} onClose={onClose} size="lg" title={target && `What ${nameOf(target)} may do`}>
      {target &&
        (isOnlyOwner(target, owners) ? (
          <OnlyOwner member={target} onClose={onClose} />
        ) : (
          <ChangeRoleForm key={target.user_id} target={target} onClose={onClose} />
        ))}
    </Modal>
  );
}

function ChangeRoleForm({ target, onClose }: { target: Member; onClose: () => void }) {
  const [role, setRole] = useState(target.role);
  const change = useChangeRole();
  const save = () =>
    change.mutate(
      { member: target, role },
      {
        onSuccess: () => {
          notifyDone(`${nameOf(target)} is ${roleName(role).toLowerCase()} from now on.`);
          onClose();
        },
      },
    );
  return (
    <Stack>
      <FormError error={change.error} />
      <RolePicker value={role} onChange={setRole} />
      <Group justify="flex-end">
        <Button variant="default" onClick={onClose}>
          Cancel
        </Button>
        <Button loading={change.isPending} disabled={role === target.role} onClick={save}>
          Save
        </Button>
      </Group>
    </Stack>
  );
}

/** Removes a member from the account. */
export function RemoveMember({ target, owners, onClose }: DialogProps) {
  const { user } = useSession();
  const own = target?.user_id === user.id;
  return (
    <Modal opened={target !== undefined} onClose={onClose} title={own ? 'Leave this account' : 'Remove this member'}>
      {target &&
        (isOnlyOwner(target, owners) ? (
          <OnlyOwner member={target} onClose={onClose} />
        ) : (
          <RemoveForm key={target.user_id} target={target} own={own} onClose={onClose} />
        ))}
    </Modal>
  );
}

function RemoveForm({ target, own, onClose }: { target: Member; own: boolean; onClose: () => void }) {
  const remove = useRemoveMember();
  const run = () =>
    remove.mutate(target, {
      onSuccess: () => {
        notifyDone(own ? 'You have left the account.' : `${nameOf(target)} is removed.`);
        onClose();
      },
    });
  return (
    <Stack>
      <FormError error={remove.error} />
      <Text size="sm">
        {own ? (
          'You see nothing of this account from then on. An owner can invite you again.'
        ) : (
          <>
            <b>{nameOf(target)}</b> sees nothing of this account from then on, and is signed out where they have no other. Keys that they
            have made stay.
          </>
        )}
      </Text>
      <Group justify="flex-end">
        <Button variant="default" onClick={onClose} data-autofocus>
          Cancel
        </Button>
        <Button color="red" loading={remove.isPending} onClick={run}>
          {own ? 'Leave' : 'Remove'}
        </Button>
      </Group>
    </Stack>
  );
}

function OnlyOwner({ member, onClose }: { member: Member; onClose: () => void }) {
  return (
    <Stack>
      <Text size="sm">
        <b>{nameOf(member)}</b> is the only owner, and an account always has one. Make another member an owner first.
      </Text>
      <Group justify="flex-end">
        <Button variant="default" onClick={onClose} data-autofocus>
          Close
        </Button>
      </Group>
    </Stack>
  );
}

/** Makes a link for somebody who cannot sign in any more; for operators. */
export function SignInLink({ target, onClose }: Omit<DialogProps, 'owners'>) {
  const make = useSignInLink();
  const close = () => {
    onClose();
    make.reset();
  };
  return (
    <Modal opened={target !== undefined} onClose={close} size="lg" title="A link to sign in with" closeOnClickOutside={!make.data}>
      {target && make.data ? (
        <MadeLink {...make.data} email={target.email} secret onClose={close} />
      ) : (
        <Stack>
          <FormError error={make.error} />
          <Text size="sm">
            With it <b>{target && nameOf(target)}</b> signs in once, within 24 hours, and can choose a new password. A link that was made
            before ends.
          </Text>
          <Group justify="flex-end">
            <Button variant="default" onClick={close}>
              Cancel
            </Button>
            <Button data-autofocus loading={make.isPending} onClick={() => target && make.mutate(target)}>
              Make the link
            </Button>
          </Group>
        </Stack>
      )}
    </Modal>
  );
}
