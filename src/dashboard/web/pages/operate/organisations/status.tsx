import { Badge, Button, Group, Text } from '@mantine/core';
import { useState } from 'react';
import { Confirm } from '../../../ui/dialogs';
import { notifyDone } from '../../../ui/notify';
import { Chosen } from '../../../ui/values';
import { sentence } from '../../../ui/words';
import { type Organisation, type Step, steps, useStep } from './organisations.api';

const says: Record<Step, string> = {
  suspend: 'Its keys are rejected and its open requests end, within a second, until it is resumed.',
  resume: 'Its keys are accepted again, within a second.',
  delete: 'Its keys are rejected and its open requests end, for good. It stays in the list as closed, with its ledger.',
};

/** Says that an organisation is suspended or closed. */
export function OrganisationStatus({ status }: Pick<Organisation, 'status'>) {
  return status === 'active' ? null : <Badge color={status === 'closed' ? 'gray' : 'yellow'}>{sentence(status)}</Badge>;
}

/** Suspends an organisation, resumes it or closes it. */
export function OrganisationSteps({ organisation }: { organisation: Organisation }) {
  const [asked, ask] = useState<Step>();
  const change = useStep();
  const close = () => {
    change.reset();
    ask(undefined);
  };
  const run = (step: Step) =>
    change.mutate(
      { organisation, step },
      {
        onSuccess: ({ status }) => {
          notifyDone(`It is ${status}.`);
          close();
        },
      },
    );
  return (
    <Group gap="sm">
      {steps[organisation.status].map((step) => (
        <Button key={step} variant="default" size="xs" onClick={() => ask(step)}>
          {sentence(step)}
        </Button>
      ))}
      <Confirm
        opened={asked !== undefined}
        onClose={close}
        title={`${sentence(asked ?? '')} the organisation`}
        action={sentence(asked ?? '')}
        harmful={asked !== 'resume'}
        run={() => asked && run(asked)}
        pending={change.isPending}
        error={change.error}
      >
        <Text size="sm">
          <Chosen>{organisation.name}</Chosen>: {asked && says[asked]}
        </Text>
      </Confirm>
    </Group>
  );
}
