import { Button, Card, Group, Stack, Text, TextInput, Title } from '@mantine/core';
import { useForm } from '@mantine/form';
import { FormError } from '../../ui/form-error';
import { notifyDone } from '../../ui/notify';
import { shifted } from '../../ui/numbers';
import { ErrorState } from '../../ui/states';
import { type MailAlertView, useMailAlert, useRemoveMailAlert, useSetMailAlert } from './credits.api';

/** Lets whoever is signed in be told by mail when the balance falls. Nothing where the gateway sends no mail. */
export function MailAlert() {
  const alert = useMailAlert();
  if (alert.isError) return <ErrorState error={alert.error} retry={() => void alert.refetch()} />;
  if (!alert.data?.mail_configured) return null;
  return <MailAlertForm alert={alert.data} />;
}

function MailAlertForm({ alert: { email, low_balance_below: below } }: { alert: MailAlertView }) {
  const set = useSetMailAlert();
  const remove = useRemoveMailAlert();
  const form = useForm({
    initialValues: { below: below === null ? '' : shifted(below, 0) },
    validate: { below: (text) => (/^(?=.*[1-9])\d{1,9}(\.\d{1,9})?$/.test(text) ? null : 'Credits, such as 25 or 0.5') },
  });
  const show = (text: string) => {
    form.setValues({ below: text });
    form.resetDirty({ below: text });
  };
  const save = form.onSubmit((values) =>
    set.mutate(values.below, {
      onSuccess: ({ low_balance_below }) => {
        show(shifted(low_balance_below ?? '', 0));
        notifyDone(`Low balances are mailed to ${email}.`);
      },
    }),
  );
  return (
    <Card component="section" aria-label="Low-balance mail">
      <form onSubmit={save}>
        <Stack gap="sm">
          <Title order={2} size="h5">
            Mail when credits run low
          </Title>
          <FormError error={set.error ?? remove.error} />
          <Group align="flex-end">
            <TextInput
              label="When less than so many credits are left"
              placeholder="25"
              inputMode="decimal"
              {...form.getInputProps('below')}
            />
            <Button type="submit" variant="default" loading={set.isPending} disabled={!form.isDirty()}>
              {below === null ? 'Mail me' : 'Save'}
            </Button>
            {below !== null && (
              <Button
                variant="subtle"
                color="gray"
                loading={remove.isPending}
                onClick={() => remove.mutate(undefined, { onSuccess: () => show('') })}
              >
                No more mail
              </Button>
            )}
          </Group>
          <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
            {below === null ? `One message for each fall would go to ${email}.` : `One message for each fall goes to ${email}.`}
          </Text>
        </Stack>
      </form>
    </Card>
  );
}
