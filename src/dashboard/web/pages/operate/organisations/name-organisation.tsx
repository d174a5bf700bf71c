import { Modal, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { FormButtons } from '../../../ui/dialogs';
import { FormError } from '../../../ui/form-error';
import { notifyDone } from '../../../ui/notify';
import { type Organisation, useCreateOrganisation, useRenameOrganisation } from './organisations.api';

const nameProblem = (name: string): string | null => (name.trim() === '' ? 'People know it by its name.' : null);

interface CreateProps {
  opened: boolean;
  onClose: () => void;
  onMade: (organisation: Organisation) => void;
}

/** Makes an organisation. */
export function CreateOrganisation({ opened, onClose, onMade }: CreateProps) {
  return (
    <Modal opened={opened} onClose={onClose} title="New organisation">
      <CreateForm onClose={onClose} onMade={onMade} />
    </Modal>
  );
}

function CreateForm({ onClose, onMade }: Omit<CreateProps, 'opened'>) {
  const create = useCreateOrganisation();
  const form = useForm({
    initialValues: { name: '', id: '' },
    validate: {
      name: nameProblem,
      id: (id) =>
        id === '' || /^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/.test(id)
          ? null
          : 'Up to 64 letters, digits, dots, dashes and underscores; the first is a letter or a digit',
    },
  });
  const submit = form.onSubmit(({ name, id }) =>
    create.mutate({ name: name.trim(), ...(id !== '' && { id }) }, { onSuccess: (made) => onMade(made) }),
  );
  return (
    <form onSubmit={submit}>
      <Stack>
        <FormError error={create.error} />
        <TextInput label="Name" maxLength={200} data-autofocus autoComplete="off" {...form.getInputProps('name')} />
        <TextInput
          label="Id"
          description="It stands in addresses, and never changes. One is made where this stays empty."
          placeholder="acme-labs"
          maxLength={64}
          autoComplete="off"
          {...form.getInputProps('id')}
        />
        <FormButtons onClose={onClose} action="Create" pending={create.isPending} />
      </Stack>
    </form>
  );
}

/** Gives an organisation another name. */
export function RenameOrganisation({ organisation, onClose }: { organisation: Organisation | undefined; onClose: () => void }) {
  return (
    <Modal opened={organisation !== undefined} onClose={onClose} title="Rename">
      {organisation && <RenameForm organisation={organisation} onClose={onClose} />}
    </Modal>
  );
}

function RenameForm({ organisation, onClose }: { organisation: Organisation; onClose: () => void }) {
  const rename = useRenameOrganisation();
  const form = useForm({ initialValues: { name: organisation.name }, validate: { name: nameProblem } });
  const submit = form.onSubmit(({ name }) =>
    rename.mutate(
      { organisation, name: name.trim() },
      {
        onSuccess: () => {
          notifyDone('It has its new name.');
          onClose();
        },
      },
    ),
  );
  return (
    <form onSubmit={submit}>
      <Stack>
        <FormError error={rename.error} />
        <TextInput label="Name" maxLength={200} data-autofocus autoComplete="off" {...form.getInputProps('name')} />
        <FormButtons onClose={onClose} action="Save" pending={rename.isPending} />
      </Stack>
    </form>
  );
}
