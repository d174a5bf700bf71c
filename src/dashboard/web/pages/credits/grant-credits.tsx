import { Alert, Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { randomId } from '@mantine/hooks';
import { useState } from 'react';
import { useAccount } from '../../shell/account';
import { notifyDone } from '../../ui/notify';
import { useEnvironment } from '../../ui/preferences';
import { useGrant } from './credits.api';

/** Gives the account credits. The grant has an id of its own, so that it is given once however often it is sent. */
export function GrantCredits({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  return (
    <Modal opened={opened} onClose={onClose} title="Grant credits">
      <GrantForm onClose={onClose} />
    </Modal>
  );
}

function GrantForm({ onClose }: { onClose: () => void }) {
  const account = useAccount();
  const [environment] = useEnvironment();
  const [id] = useState(() => randomId('grant-'));
  const grant = useGrant();
  const form = useForm({
    initialValues: { amount: '', note: '' },
    validate: {
      amount: (amount) =>
        /^(?=.*[1-9])\d{1,9}(\.\d{1,9})?$/.test(amount.trim()) ? null : 'Credits above 0, such as 25 or 0.5, with at most nine decimals',
    },
  });
  const submit = form.onSubmit(({ amount, note }) =>
    grant.mutate(
      { id, environment, amount: amount.trim(), ...(note.trim() !== '' && { note: note.trim() }) },
      {
        onSuccess: () => {
          notifyDone(`${account.name} has ${amount.trim()} credits more.`);
          onClose();
        },
      },
    ),
  );
  return (
    <form onSubmit={submit}>
      <Stack>
        {grant.error && (
          <Alert color="red" role="alert">
            {grant.error.message}
          </Alert>
        )}
        <Text size="sm">
          To <b>{account.name}</b>, in the {environment} environment.
        </Text>
        <TextInput label="Credits" inputMode="decimal" data-autofocus {...form.getInputProps('amount')} />
        <TextInput label="Note" placeholder="Why" maxLength={500} {...form.getInputProps('note')} />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={grant.isPending}>
            Grant
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
