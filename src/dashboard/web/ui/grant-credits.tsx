import { Modal, SegmentedControl, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { randomId } from '@mantine/hooks';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { answerOf, api, type Schemas } from '../api/client';
import { FormButtons } from './dialogs';
import { FormError } from './form-error';
import { notifyDone } from './notify';
import { exactCredits } from './numbers';
import { environments, useEnvironment } from './preferences';
import { Chosen } from './values';

interface Account {
  readonly id: string;
  readonly name: string;
}

/** Gives an account credits; for operators. A grant has an id, so that it is given once however often it is sent. */
export function GrantCredits({ account, onClose }: { account: Account | undefined; onClose: () => void }) {
  return (
    <Modal opened={account !== undefined} onClose={onClose} title="Grant credits">
      {account && <GrantForm account={account} onClose={onClose} />}
    </Modal>
  );
}

function GrantForm({ account, onClose }: { account: Account; onClose: () => void }) {
  const [environment] = useEnvironment();
  const [id] = useState(() => randomId('grant-'));
  const client = useQueryClient();
  const grant = useMutation({
    mutationFn: (body: Schemas['Grant']) =>
      answerOf(api.POST('/admin/v1/accounts/{account}/credits/grants', { params: { path: { account: account.id } }, body })),
    onSuccess: () => void client.invalidateQueries({ queryKey: ['credits', account.id] }),
  });
  const form = useForm({
    initialValues: { environment, amount: '', note: '' },
    validate: {
      amount: (amount) =>
        /^(?=.*[1-9])\d{1,9}(\.\d{1,9})?$/.test(amount.trim()) ? null : 'Credits above 0, such as 25 or 0.5, with at most nine decimals',
    },
  });
  const submit = form.onSubmit(({ amount, note, ...rest }) =>
    grant.mutate(
      { id, ...rest, amount: amount.trim(), ...(note.trim() !== '' && { note: note.trim() }) },
      {
        onSuccess: (made) => {
          notifyDone(`${exactCredits(made.amount)} ${made.environment} credits are granted.`);
          onClose();
        },
      },
    ),
  );
  return (
    <form onSubmit={submit}>
      <Stack>
        <FormError error={grant.error} />
        <Text size="sm">
          To{' '}
          <b>
            <Chosen>{account.name}</Chosen>
          </b>
          . What is granted cannot be taken back.
        </Text>
        <SegmentedControl fullWidth aria-label="Environment of the credits" data={environments} {...form.getInputProps('environment')} />
        <TextInput label="Credits" inputMode="decimal" data-autofocus autoComplete="off" {...form.getInputProps('amount')} />
        <TextInput label="Reason" placeholder="Contract of November" maxLength={500} {...form.getInputProps('note')} />
        <FormButtons onClose={onClose} action="Grant" pending={grant.isPending} />
      </Stack>
    </form>
  );
}
