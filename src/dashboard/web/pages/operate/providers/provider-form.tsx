import { Button, JsonInput, Modal, PasswordInput, Select, SimpleGrid, Stack, Switch, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useState } from 'react';
import { FormButtons } from '../../../ui/dialogs';
import { FormError } from '../../../ui/form-error';
import { intoView } from '../../../ui/into-view';
import { notifyDone } from '../../../ui/notify';
import { showRefused } from '../../../ui/refused';
import { ModelsField } from './models-field';
import { rowsProblem } from './models-form';
import { type Provider, type Trial, useChangeProvider, useCreateProvider, useProviderTypes, useTrial } from './providers.api';
import { changeOf, othersProblem, settingsOf, valuesOf } from './settings-form';
import { TrialResult } from './trial-result';

interface ProviderFormProps {
  /** `new`: one is added. */
  target: Provider | 'new' | undefined;
  onClose: () => void;
}

/** Adds a provider, or changes one of the store. */
export function ProviderForm({ target, onClose }: ProviderFormProps) {
  return (
    <Modal opened={target !== undefined} onClose={onClose} size="lg" title={target === 'new' ? 'Add a provider' : 'Change the provider'}>
      {target && <Fields target={target} onClose={onClose} />}
    </Modal>
  );
}

const nothing = { settings: null, type: null };

const example = `{
  "headers": { "x-team": "gateway" },
  "timeouts": { "first_byte": 60000 }
}`;

function Fields({ target, onClose }: { target: Provider | 'new'; onClose: () => void }) {
  const isNew = target === 'new';
  const types = useProviderTypes().data ?? [];
  const create = useCreateProvider();
  const change = useChangeProvider();
  const trial = useTrial();
  const [tried, setTried] = useState<{ what: string; came: Trial }>();
  const form = useForm({
    initialValues: { id: '', model: '', ...valuesOf(isNew ? nothing : target) },
    validate: {
      id: (id) => (!isNew || /^[a-z0-9][a-z0-9-]{0,62}$/.test(id) ? null : 'Lower-case letters, digits and dashes; the first is no dash'),
      base_url: (address) => (address === '' || URL.canParse(address) ? null : 'An address that begins with https://'),
      models: rowsProblem,
      others: othersProblem,
    },
  });
  const { id, model, ...values } = form.values;
  const type = types.find((one) => one.type === values.type);
  const hasKey = !isNew && target.secrets.includes('api_key');
  const what = JSON.stringify([id, model, values]);
  const trialNow = tried?.what === what ? tried.came : undefined;

  const tryIt = () => {
    const settings = isNew ? settingsOf(values) : changeOf(target, values);
    trial.mutate(
      { ...(isNew ? { id } : { provider: target.id }), settings, model: model.trim() },
      { onSuccess: (came) => setTried({ what, came }) },
    );
  };
  const done = (said: string) => () => {
    notifyDone(said);
    onClose();
  };
  const save = () => {
    if (isNew) create.mutate({ id, settings: settingsOf(values) }, { onSuccess: done('It serves at all gateways within a second.') });
    else
      change.mutate(
        { provider: target, settings: changeOf(target, values) },
        { onSuccess: done('The change is in force at all gateways within a second.') },
      );
  };
  // Whoever adds one sees first whether it answers.
  const saves = !isNew || trialNow !== undefined;
  return (
    <form onSubmit={form.onSubmit(saves ? save : tryIt)}>
      <Stack>
        <SimpleGrid cols={{ base: 1, xs: 2 }}>
          {isNew && (
            <TextInput
              label="Id"
              placeholder="our-cluster"
              data-autofocus
              autoComplete="off"
              maxLength={63}
              {...form.getInputProps('id')}
            />
          )}
          <Select
            label="Type"
            placeholder="As the id says, or OpenAI-compatible"
            searchable
            clearable
            clearButtonProps={{ 'aria-label': 'Choose no type' }}
            nothingFoundMessage="No vendor is called that"
            data={types.map(({ type: value, name }) => ({ value, label: name }))}
            {...form.getInputProps('type')}
          />
        </SimpleGrid>
        <TextInput
          label="Address"
          data-autofocus={!isNew || undefined}
          placeholder={type?.base_url ?? 'https://models.example.com/v1'}
          description={type?.base_url ? 'It may stay empty: the vendor has one.' : undefined}
          inputMode="url"
          autoComplete="off"
          {...form.getInputProps('base_url')}
        />
        <PasswordInput
          label="API key"
          placeholder={hasKey ? 'Kept as it is' : undefined}
          description={
            hasKey
              ? 'It is never shown. Leave this empty to keep it; with another type, address or headers it has to be given again.'
              : 'It is stored encrypted, and never shown again.'
          }
          autoComplete="new-password"
          {...form.getInputProps('api_key')}
        />
        <SimpleGrid cols={{ base: 1, xs: 2 }} style={{ alignItems: 'end' }}>
          <TextInput
            label="Prefix"
            description="Put before each model’s id."
            placeholder="ours/"
            autoComplete="off"
            {...form.getInputProps('prefix')}
          />
          <Switch
            label="Free"
            description="Models without a price are served, and nothing is charged."
            {...form.getInputProps('free', { type: 'checkbox' })}
          />
        </SimpleGrid>
        <ModelsField
          value={values.models}
          onChange={(models) => form.setFieldValue('models', models)}
          error={form.errors['models'] as string | undefined}
        />
        <JsonInput
          label="Further settings"
          description="JSON, as in an entry of the configuration file: headers, timeouts, limits of models that it lists."
          placeholder={example}
          autosize
          minRows={4}
          maxRows={14}
          spellCheck={false}
          styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)', fontSize: 12.5 } }}
          {...form.getInputProps('others')}
        />
        <TextInput
          label="Model to test with"
          placeholder="The cheapest that it lists"
          description="It is asked for a few words. No organisation is charged; the provider’s bill is yours."
          autoComplete="off"
          maxLength={512}
          {...form.getInputProps('model')}
        />
        <FormError error={trial.error ?? create.error ?? change.error} />
        {trialNow && (
          <div ref={intoView}>
            <TrialResult trial={trialNow} />
          </div>
        )}
        <FormButtons
          onClose={onClose}
          action={!saves ? 'Test' : !isNew ? 'Save' : trialNow?.ok ? 'Add provider' : 'Add it all the same'}
          pending={create.isPending || change.isPending || (!saves && trial.isPending)}
        >
          {saves && (
            <Button
              variant="default"
              onClick={({ currentTarget }) => (form.validate().hasErrors ? showRefused(currentTarget.form!) : tryIt())}
              loading={trial.isPending}
            >
              {trialNow ? 'Test again' : 'Test'}
            </Button>
          )}
        </FormButtons>
      </Stack>
    </form>
  );
}
