import { Modal, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { FormButtons } from '../../ui/dialogs';
import { FormError } from '../../ui/form-error';
import { notifyDone } from '../../ui/notify';
import { type Key, useChangeKey } from './keys.api';
import { RulesFields, rulesProblems } from './rules-fields';
import { rulesOf, valuesOf } from './rules-form';

/** Changes the name and the rules of a key. */
export default function EditKey({ target, onClose }: { target: Key | undefined; onClose: () => void }) {
  return (
    <Modal opened={target !== undefined} onClose={onClose} size="lg" title="Name and rules">
      {target && <EditKeyForm key={target.id} target={target} onClose={onClose} />}
    </Modal>
  );
}

function EditKeyForm({ target, onClose }: { target: Key; onClose: () => void }) {
  const change = useChangeKey();
  const form = useForm({ initialValues: { label: target.label, ...valuesOf(target.rules) }, validate: rulesProblems });
  const submit = form.onSubmit(({ label, ...rules }) =>
    change.mutate(
      { key: target, body: { label: label.trim(), rules: rulesOf(rules, target.rules) } },
      {
        onSuccess: () => {
          notifyDone('The rules are in force within a second.');
          onClose();
        },
      },
    ),
  );
  return (
    <form onSubmit={submit}>
      <Stack>
        <FormError error={change.error} />
        <TextInput label="Name" maxLength={200} data-autofocus autoComplete="off" {...form.getInputProps('label')} />
        <RulesFields form={form} />
        <FormButtons onClose={onClose} action="Save" pending={change.isPending} />
      </Stack>
    </form>
  );
}
