import { Alert, Button, Group, Modal, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { notifyDone } from '../../ui/notify';
import { type Key, useChangeKey } from './keys.api';
import { RulesFields, rulesProblems } from './rules-fields';
import { rulesOf, valuesOf } from './rules-form';

/** Changes the name and the rules of a key. */
export function EditKey({ target, onClose }: { target: Key | undefined; onClose: () => void }) {
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
        {change.error && (
          <Alert color="red" role="alert">
            {change.error.message}
          </Alert>
        )}
        <TextInput label="Name" maxLength={200} autoComplete="off" {...form.getInputProps('label')} />
        <RulesFields form={form} />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={change.isPending}>
            Save
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
