import { Alert, Button, Group, Modal, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { useState } from 'react';
import { ConfirmForm, Confirm } from '../../../ui/dialogs';
import { FormError } from '../../../ui/form-error';
import { notifyDone } from '../../../ui/notify';
import { type Provider, useDisableProvider, useOffersOf, useRemoveProvider, useTrial } from './providers.api';
import { TrialResult } from './trial-result';

interface DialogProps {
  target: Provider | undefined;
  onClose: () => void;
}

/** Takes a provider of the store out of service. */
export function DisableProvider({ target, onClose }: DialogProps) {
  return (
    <Modal opened={target !== undefined} onClose={onClose} title="Switch the provider off">
      {target && <DisableForm key={target.id} provider={target} onClose={onClose} />}
    </Modal>
  );
}

function DisableForm({ provider, onClose }: { provider: Provider; onClose: () => void }) {
  const disable = useDisableProvider();
  const [message, setMessage] = useState(provider.message ?? '');
  const run = () =>
    disable.mutate(
      { provider, message: message.trim() },
      {
        onSuccess: ({ id }) => {
          notifyDone(`${id} is switched off.`);
          onClose();
        },
      },
    );
  return (
    <ConfirmForm onClose={onClose} action="Switch off" run={run} pending={disable.isPending} error={disable.error}>
      <Text size="sm">
        <b>{provider.id}</b> gets no more requests, at any gateway, within a second. What runs ends as it would.
      </Text>
      <Affected provider={provider} />
      <Textarea
        label="Reason"
        description="For other operators."
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

/** What a provider serves now. */
function Affected({ provider }: { provider: Provider }) {
  const offers = useOffersOf(provider.id);
  if (!offers.data || offers.data.data.length === 0) return null;
  const { data, next } = offers.data;
  return (
    <Alert color="yellow">
      It offers {next === null ? data.length : `more than ${data.length}`} {data.length === 1 ? 'model' : 'models'}. Those that nobody else
      offers leave the catalogue.
    </Alert>
  );
}

/** Removes a provider of the store. */
export function RemoveProvider({ target, onClose }: DialogProps) {
  const remove = useRemoveProvider();
  const run = (provider: Provider) =>
    remove.mutate(provider, {
      onSuccess: ({ id }) => {
        notifyDone(`${id} is removed.`);
        onClose();
      },
    });
  return (
    <Confirm
      opened={target !== undefined}
      onClose={() => {
        remove.reset();
        onClose();
      }}
      title="Remove the provider"
      action="Remove"
      run={() => target && run(target)}
      pending={remove.isPending}
      error={remove.error}
    >
      <Text size="sm">
        <b>{target?.id}</b> is removed with its API key, for good. To use it later again, switch it off instead.
      </Text>
      {target && <Affected provider={target} />}
    </Confirm>
  );
}

/** Asks a provider for a few words. */
export function TryProvider({ target, onClose }: DialogProps) {
  return (
    <Modal opened={target !== undefined} onClose={onClose} size="lg" title="Test the provider">
      {target && <TryForm key={target.id} provider={target} onClose={onClose} />}
    </Modal>
  );
}

function TryForm({ provider, onClose }: { provider: Provider; onClose: () => void }) {
  const trial = useTrial();
  const [model, setModel] = useState('');
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        trial.mutate({ provider: provider.id, model: model.trim() });
      }}
    >
      <Stack>
        <Text size="sm">
          <b>{provider.id}</b> is asked for a few words. No organisation is charged; the provider’s bill is yours.
        </Text>
        <TextInput
          label="Model"
          placeholder="The cheapest that it lists"
          data-autofocus
          autoComplete="off"
          maxLength={512}
          value={model}
          onChange={(event) => setModel(event.currentTarget.value)}
        />
        <FormError error={trial.error} />
        {trial.data && !trial.isPending && <TrialResult trial={trial.data} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Close
          </Button>
          <Button type="submit" loading={trial.isPending}>
            {trial.data ? 'Test again' : 'Test'}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
