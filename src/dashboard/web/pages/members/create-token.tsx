import { Button, Group, Modal, Select, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useState } from 'react';
import { FormError } from '../../ui/form-error';
import { ShownOnce } from '../../ui/shown-once';
import { type MemberRole, useCreateToken } from './members.api';
import { RolePicker } from './role-picker';

const DAY = 86_400_000;

const inDays = (days: number): string => new Date(Date.now() + days * DAY).toISOString();

const lifetimes = [
  { value: '', label: 'Never' },
  { value: '7', label: 'In 7 days' },
  { value: '30', label: 'In 30 days' },
  { value: '90', label: 'In 90 days' },
  { value: '365', label: 'In a year' },
];

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
        ...(lifetime !== '' && { expires_at: inDays(Number(lifetime)) }),
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
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={create.isPending}>
            Create token
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
