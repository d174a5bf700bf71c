import { Input, Modal, SegmentedControl, Select, SimpleGrid, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { projectsOf, useFound } from '../../api/find';
import { useAccount } from '../../shell/account';
import { FormButtons } from '../../ui/dialogs';
import { FormError } from '../../ui/form-error';
import { FoundSelect } from '../../ui/found-select';
import { endIn, lifetimes } from '../../ui/lifetimes';
import { environments, useEnvironment } from '../../ui/preferences';
import { type MadeKey, useCreateKey } from './keys.api';
import { RulesFields, rulesProblems } from './rules-fields';
import { rulesOf, valuesOf } from './rules-form';

interface CreateKeyProps {
  opened: boolean;
  onClose: () => void;
  onMade: (key: MadeKey) => void;
}

/** Asks for what a new key is to be, and makes it. */
export default function CreateKey({ opened, onClose, onMade }: CreateKeyProps) {
  return (
    <Modal opened={opened} onClose={onClose} size="lg" title="Create an API key">
      <CreateKeyForm onClose={onClose} onMade={onMade} />
    </Modal>
  );
}

function CreateKeyForm({ onClose, onMade }: Omit<CreateKeyProps, 'opened'>) {
  const [environment] = useEnvironment();
  const projects = projectsOf(useAccount().id);
  const hasProjects = Boolean(useFound(projects).data?.length);
  const create = useCreateKey();
  const form = useForm({
    initialValues: { label: '', environment, project_id: null as string | null, lifetime: '', ...valuesOf({}) },
    validate: { ...rulesProblems, label: (label) => (label.trim() === '' ? 'A name tells you later what the key is for.' : null) },
  });
  const submit = form.onSubmit(({ label, environment: chosen, project_id, lifetime, ...rules }) =>
    create.mutate(
      {
        label: label.trim(),
        environment: chosen,
        rules: rulesOf(rules),
        ...(project_id !== null && { project_id }),
        ...endIn(lifetime),
      },
      { onSuccess: onMade },
    ),
  );
  return (
    <form onSubmit={submit}>
      <Stack>
        <FormError error={create.error} />
        <TextInput
          label="Name"
          placeholder="Production server"
          maxLength={200}
          data-autofocus
          autoComplete="off"
          {...form.getInputProps('label')}
        />
        <div>
          <Input.Label component="div" mb={4} id="key-environment">
            Environment
          </Input.Label>
          <SegmentedControl fullWidth aria-labelledby="key-environment" data={environments} {...form.getInputProps('environment')} />
          <Text size="xs" c="dimmed" mt={4}>
            {form.values.environment === 'live'
              ? 'Reaches every model, and spends live credits.'
              : 'The sandbox answers in place of every provider, and test credits pay.'}
          </Text>
        </div>
        <SimpleGrid cols={{ base: 1, xs: hasProjects ? 2 : 1 }}>
          {hasProjects && <FoundSelect label="Project" placeholder="None" choices={projects} {...form.getInputProps('project_id')} />}
          <Select label="Expires" allowDeselect={false} data={lifetimes} {...form.getInputProps('lifetime')} />
        </SimpleGrid>
        <RulesFields form={form} />
        <FormButtons onClose={onClose} action="Create key" pending={create.isPending} />
      </Stack>
    </form>
  );
}
