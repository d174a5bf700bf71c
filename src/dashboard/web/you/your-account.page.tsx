import { Button, Card, Group, Stack, Text, TextInput, Title } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { answerOf, api } from '../api/client';
import { begin, useSession } from '../api/session';
import { FormError } from '../ui/form-error';
import { notifyDone } from '../ui/notify';
import { Page } from '../ui/page';
import { ChangePassword } from './change-password';
import { OpenSessions } from './open-sessions';

/** The person who is signed in: name, password, and where they are signed in. */
export default function YourAccountPage() {
  const { user } = useSession();
  return (
    <Page title="Your account" description={`You sign in as ${user.email}. An operator can change the address.`}>
      <Stack gap="lg" maw={720}>
        <Part title="Name" text="How the others see you.">
          <ChangeName />
        </Part>
        <Part
          title="Password"
          text={
            user.has_password
              ? 'A change signs you out in all other browsers.'
              : 'You have none yet. With one you can sign in by e-mail address.'
          }
        >
          <ChangePassword key={String(user.has_password)} />
        </Part>
        <OpenSessions />
      </Stack>
    </Page>
  );
}

function Part({ title, text, children }: { title: string; text: string; children: ReactNode }) {
  return (
    <Card component="section" aria-label={title}>
      <Title order={2} size="h5">
        {title}
      </Title>
      <Text size="sm" c="dimmed" mb="md">
        {text}
      </Text>
      {children}
    </Card>
  );
}

function ChangeName() {
  const { user } = useSession();
  const client = useQueryClient();
  const form = useForm({
    initialValues: { name: user.name },
    validate: { name: (name) => (name.trim() === '' ? 'How should the others see you?' : null) },
  });
  const change = useMutation({
    mutationFn: (body: { name: string }) => answerOf(api.PATCH('/admin/v1/session/user', { body })),
    onSuccess: (session) => {
      begin(client, session);
      void client.invalidateQueries({ queryKey: ['members'] });
      notifyDone('Your name is changed.');
    },
  });
  return (
    <form onSubmit={form.onSubmit(({ name }) => change.mutate({ name: name.trim() }))}>
      <Stack>
        <FormError error={change.error} />
        <Group align="flex-start" gap="sm">
          <TextInput flex={1} miw={200} aria-label="Name" autoComplete="name" maxLength={200} {...form.getInputProps('name')} />
          <Button type="submit" variant="default" loading={change.isPending} disabled={form.values.name.trim() === user.name}>
            Save the name
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
