import { Badge, Button, Card, Group, Modal, Stack, Text, TextInput, Title } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useDisclosure } from '@mantine/hooks';
import { IconBell, IconPlus, IconSend, IconTrash } from '@tabler/icons-react';
import { useState } from 'react';
import { CodeBlock } from '../../ui/code-block';
import { FormButtons } from '../../ui/dialogs';
import { FormError } from '../../ui/form-error';
import { IconAction } from '../../ui/icon-action';
import { Answered } from '../../ui/lists';
import { notifyDone, notifyFailure } from '../../ui/notify';
import { EmptyState } from '../../ui/states';
import { Credits } from '../../ui/values';
import { useAlerts, useCreateAlert, useDeleteAlert, useTestAlert, type Webhook } from './credits.api';

/** Addresses that are told when the balance falls. */
export function Alerts() {
  const alerts = useAlerts(true);
  const [creating, create] = useDisclosure(false);
  const button = (
    <Button variant="default" size="xs" leftSection={<IconPlus size={15} />} onClick={create.open}>
      Add an alert
    </Button>
  );
  return (
    <Card padding={0} component="section" aria-label="Low-balance alerts">
      <Group justify="space-between" p="md">
        <Title order={2} size="h5">
          Low-balance alerts
        </Title>
        {alerts.data && alerts.data.length > 0 && button}
      </Group>
      <Answered query={alerts} rows={2}>
        {(all) =>
          all.length === 0 ? (
            <EmptyState icon={IconBell} title="Nobody is told when credits run low" action={button}>
              A signed message can be sent to an address of yours when the balance falls below what you choose.
            </EmptyState>
          ) : (
            all.map((webhook) => <AlertRow key={webhook.id} webhook={webhook} />)
          )
        }
      </Answered>
      <Modal opened={creating} onClose={create.close} title="Add a low-balance alert" size="lg">
        <AlertForm onClose={create.close} />
      </Modal>
    </Card>
  );
}

function AlertRow({ webhook: { id, url, low_balance_below, disabled_at, failing_since } }: { webhook: Webhook }) {
  const remove = useDeleteAlert();
  const test = useTestAlert();
  const runTest = () =>
    test.mutate(id, {
      onError: notifyFailure,
      onSuccess: ({ status, error }) =>
        status === null ? notifyFailure(new Error(error ?? 'No answer came.')) : notifyDone(`The address answered with ${status}.`),
    });
  return (
    <Group px="md" py="sm" justify="space-between" wrap="nowrap" style={{ borderTop: '1px solid var(--line)' }}>
      <Stack gap={2} miw={0}>
        <Text size="sm" truncate title={url}>
          {url}
        </Text>
        <Group gap={8}>
          <Text size="xs" c="dimmed">
            {low_balance_below === null ? (
              'Never'
            ) : (
              <>
                Below <Credits value={low_balance_below} unit />
              </>
            )}
          </Text>
          {disabled_at !== null && <Badge color="red">Gone</Badge>}
          {disabled_at === null && failing_since !== null && <Badge color="orange">Failing</Badge>}
        </Group>
      </Stack>
      <Group gap={4} wrap="nowrap">
        <IconAction icon={IconSend} label="Send a test message" loading={test.isPending} onClick={runTest} />
        <IconAction
          icon={IconTrash}
          label="Remove"
          name={`Remove the alert to ${url}`}
          loading={remove.isPending}
          onClick={() => remove.mutate(id, { onError: notifyFailure })}
        />
      </Group>
    </Group>
  );
}

function AlertForm({ onClose }: { onClose: () => void }) {
  const create = useCreateAlert();
  const [secret, setSecret] = useState<string>();
  const form = useForm({
    initialValues: { url: '', below: '' },
    validate: {
      url: (url) => (URL.canParse(url) ? null : 'An address that begins with https://'),
      below: (below) => (/^\d{1,9}(\.\d{1,9})?$/.test(below) ? null : 'Credits, such as 25 or 0.5'),
    },
  });
  if (secret !== undefined)
    return (
      <Stack>
        <Text size="sm">Messages to this address are signed with the secret below, which is shown this once.</Text>
        <CodeBlock code={secret} label="Copy the secret" />
        <Group justify="flex-end">
          <Button onClick={onClose}>Done</Button>
        </Group>
      </Stack>
    );
  return (
    <form onSubmit={form.onSubmit((values) => create.mutate(values, { onSuccess: (made) => setSecret(made.secret ?? '') }))}>
      <Stack>
        <FormError error={create.error} />
        <TextInput
          label="Address"
          placeholder="https://example.com/hooks/switchyard"
          inputMode="url"
          data-autofocus
          {...form.getInputProps('url')}
        />
        <TextInput label="When less than so many credits are left" placeholder="25" inputMode="decimal" {...form.getInputProps('below')} />
        <FormButtons onClose={onClose} action="Add" pending={create.isPending} />
      </Stack>
    </form>
  );
}
