import { Checkbox, Modal, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { signInOptions } from '../../sign-in/sign-in-options';
import { FormButtons } from '../../ui/dialogs';
import { FormError } from '../../ui/form-error';
import { type MadeInvitation, type MemberRole, useInvite } from './members.api';
import { MadeLink } from './made-link';
import { RolePicker } from './role-picker';

/** Asks whom to invite as what, and shows the link that was made. */
export function Invite({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const [made, setMade] = useState<MadeInvitation>();
  const close = () => {
    onClose();
    setMade(undefined);
  };
  return (
    <Modal
      opened={opened}
      onClose={close}
      size="lg"
      title={made ? 'The invitation is made' : 'Invite somebody'}
      closeOnClickOutside={!made}
    >
      {made ? <MadeLink {...made} onClose={close} /> : <InviteForm onClose={close} onMade={setMade} />}
    </Modal>
  );
}

function InviteForm({ onClose, onMade }: { onClose: () => void; onMade: (made: MadeInvitation) => void }) {
  const invite = useInvite();
  const options = useQuery(signInOptions);
  const form = useForm({
    initialValues: { email: '', role: 'developer' as MemberRole, mail: true },
    validate: { email: (email) => (/^[^\s@]+@[^\s@]+$/.test(email.trim()) ? null : 'An e-mail address, such as ada@example.com') },
  });
  return (
    <form onSubmit={form.onSubmit(({ email, ...rest }) => invite.mutate({ email: email.trim(), ...rest }, { onSuccess: onMade }))}>
      <Stack>
        <FormError error={invite.error} />
        <TextInput
          label="E-mail"
          placeholder="ada@example.com"
          inputMode="email"
          autoComplete="off"
          maxLength={254}
          data-autofocus
          {...form.getInputProps('email')}
        />
        <RolePicker {...form.getInputProps('role')} />
        {options.data?.link_by_mail && <Checkbox label="Send the link by mail too" {...form.getInputProps('mail', { type: 'checkbox' })} />}
        <Text size="xs" c="dimmed">
          You get a link to hand on, which works once within seven days. Another invitation of the same address takes its place.
        </Text>
        <FormButtons onClose={onClose} action="Invite" pending={invite.isPending} />
      </Stack>
    </form>
  );
}
