import { Button, Group, Modal, Select, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useState } from 'react';
import { FormButtons } from '../../ui/dialogs';
import { FormError } from '../../ui/form-error';
import { endIn, lifetimes } from '../../ui/lifetimes';
import { ShownOnce } from '../../ui/shown-once';
import { type MemberRole, useCreateToken } from './members.api';
import { RolePicker } from './role-picker';

/** Asks for what a new token of the administration is to be, makes it, and shows it. */
export function CreateToken({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const [token, setToken] = useState<string>();
  const close = () => {
    onClose();
    setToken(undefined);
  };
  const shown = token !== undefined;
  return (
    <Modal opened={opened} onClose={close} size="lg" title={shown ? 'Your new token' : 'Create a token'} closeOnClickOutside={!shown}>
      {shown ? (
        <Stack>
          <Text size="sm">Copy it now. The gateway keeps a digest of it only, and nobody can show it again.</Text>
          <ShownOnce text={token} label="Copy token" testId="made-token" />
          <Group justify="flex-end">
            <Button variant="default" onClick={close}>
              I have saved it
            </Button>
          </Group>
        </Stack>
      ) : (
        <CreateTokenForm onClose={close} onMade={setToken} />
      )}
    </Modal>
  );
}

function CreateTokenForm({ onClose, onMade }: { onClose: () => void; onMade: (token: string) => void }) {
  const create = useCreateToken();
  const form = useForm({
    initialValues: { label: '', role: 'viewer' as MemberRole, lifetime: '90' },
    validate: { label: (label) => (label.trim() === '' ? 'A name tells you later what the token is for.' : null) },
  });
  const submit = form.onSubmit(({ label, role, lifetime }) =>
    create.mutate(
      {
        label: label.trim(),
        role,
        ...endIn(lifetime),
      },
      { onSuccess: ({ token }) => onMade(token ?? '') },
    ),
  );
  return (
    <form onSubmit={submit}>
      <Stack>
        <FormError error={create.error} />
        <TextInput
          label="Name"
          placeholder="Deployment pipeline"
          maxLength={200}
          autoComplete="off"
          data-autofocus
          {...form.getInputProps('label')}
        />
        <RolePicker label="The program that has it may do what this role may" {...form.getInputProps('role')} />
        <Select label="Expires" allowDeselect={false} data={lifetimes} {...form.getInputProps('lifetime')} />
        <FormButtons onClose={onClose} action="Create token" pending={create.isPending} />
      </Stack>
    </form>
  );
}
