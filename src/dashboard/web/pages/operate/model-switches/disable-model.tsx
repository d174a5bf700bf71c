import { Modal, Text, Textarea } from '@mantine/core';
import { useState } from 'react';
import { ConfirmForm } from '../../../ui/dialogs';
import { notifyDone } from '../../../ui/notify';
import { Chosen } from '../../../ui/values';
import { type Switched, useDisableModel } from './switches.api';

interface DisableModelProps {
  /** With the message that it has now, where it is switched off already. */
  target: (Switched & { message?: string }) | undefined;
  onClose: () => void;
}

/** Takes a model, or one of its offers, out of service, with a message that clients read. */
export function DisableModel({ target, onClose }: DisableModelProps) {
  return (
    <Modal opened={target !== undefined} onClose={onClose} title={target?.message === undefined ? 'Switch off' : 'Change the message'}>
      {target && <DisableForm target={target} onClose={onClose} />}
    </Modal>
  );
}

function DisableForm({ target, onClose }: { target: NonNullable<DisableModelProps['target']>; onClose: () => void }) {
  const { model, provider } = target;
  const disable = useDisableModel();
  const [message, setMessage] = useState(target.message ?? '');
  const isOff = target.message !== undefined;
  const run = () =>
    disable.mutate(
      { model, ...(provider !== undefined && { provider }), message: message.trim() },
      {
        onSuccess: () => {
          notifyDone(isOff ? 'Clients read the new message within a second.' : 'It is out of service within a second.');
          onClose();
        },
      },
    );
  return (
    <ConfirmForm
      onClose={onClose}
      action={isOff ? 'Save' : 'Switch off'}
      harmful={!isOff}
      run={run}
      pending={disable.isPending}
      error={disable.error}
    >
      <Text size="sm">
        <b>
          <Chosen>{model}</Chosen>
        </b>
        {provider === undefined ? ' is refused to everybody' : ` is not asked for at ${provider}`}, at all gateways, within a second. What
        runs ends as it would.
      </Text>
      <Textarea
        label="Message"
        description="Clients read it in the error and in the list of models."
        placeholder="Maintenance until 18:00 UTC"
        data-autofocus
        autosize
        maxRows={6}
        maxLength={500}
        value={message}
        onChange={(event) => setMessage(event.currentTarget.value)}
      />
    </ConfirmForm>
  );
}
