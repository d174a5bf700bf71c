import { Button, Card, Group, Stack, Switch, Text, Title } from '@mantine/core';
import { IconBox, IconBoxOff } from '@tabler/icons-react';
import { useState } from 'react';
import { useAddress } from '../../../ui/address';
import { Paged, Search } from '../../../ui/lists';
import { notifyDone, notifyFailure } from '../../../ui/notify';
import { useOpened } from '../../../ui/opened';
import { Page } from '../../../ui/page';
import { type Column, Rows } from '../../../ui/rows';
import { EmptyState } from '../../../ui/states';
import { Chosen } from '../../../ui/values';
import { DisableModel } from './disable-model';
import { ModelDrawer, switchOf, Toggle } from './model-drawer';
import { ModelState } from './model-state';
import { type Model, type Switched, useEnableModel, useForgotten, useModel, useModels } from './switches.api';

/** Takes models out of service, and puts them back. */
export default function ModelSwitchesPage() {
  const [params, change] = useAddress();
  const onlyOut = params.get('out') === 'true';
  const models = useModels(onlyOut);
  const [opened, open, close] = useOpened('model');
  const shown = useModel(opened);
  const [disabled, setDisabled] = useState<Switched & { message?: string }>();
  const enable = useEnableModel();
  const act = {
    onDisable: setDisabled,
    onEnable: (target: Switched) =>
      enable.mutate(target, { onSuccess: () => notifyDone('It is switched on within a second.'), onError: notifyFailure }),
  };
  return (
    <Page
      title="Model switches"
      description="Take a model, or its offer at one provider, out of service at all gateways, and tell clients why."
    >
      <Card padding={0}>
        <Paged
          list={models}
          one="model"
          rows={8}
          above={
            <Group p="md" gap="md">
              <Search label="Find a model or provider" value={models.search} onChange={models.find} />
              <Switch
                label="Only what is out of service"
                checked={onlyOut}
                onChange={(event) => change({ out: event.currentTarget.checked ? 'true' : undefined })}
              />
            </Group>
          }
          empty={
            onlyOut ? (
              <EmptyState icon={IconBoxOff} title="Nothing is out of service">
                All models are in service at all of their providers.
              </EmptyState>
            ) : (
              <EmptyState icon={IconBox} title="No models yet" />
            )
          }
        >
          {(rows) => (
            <Rows
              label="Models"
              rows={rows}
              keyOf={({ id }) => id}
              columns={columns}
              onOpen={({ id }) => open(id)}
              renderActions={(model) => <Toggle model={model} {...act} />}
            />
          )}
        </Paged>
      </Card>
      <Forgotten onEnable={act.onEnable} />
      <ModelDrawer model={opened === null ? undefined : shown.data} onClose={close} {...act} />
      <DisableModel target={disabled} onClose={() => setDisabled(undefined)} />
    </Page>
  );
}

const columns: Column<Model>[] = [
  {
    title: 'Model',
    max: 340,
    cell: ({ id }) => (
      <Text size="sm" fw={550} truncate title={id}>
        <Chosen>{id}</Chosen>
      </Text>
    ),
  },
  {
    title: 'Providers',
    max: 260,
    cell: ({ offers }) => (
      <Text size="sm" truncate>
        {offers.map(({ provider }) => provider).join(', ')}
      </Text>
    ),
    detail: ({ offers }) => {
      const out = offers.filter(({ status }) => !status.active).length;
      return out > 0 && out < offers.length && `${out} of ${offers.length} out of service`;
    },
  },
  { title: 'Status', max: 340, cell: (model) => <ModelState status={model.status} by={switchOf(model, null)} /> },
];

/** Switches of what nobody offers now, which count again as soon as somebody does. */
function Forgotten({ onEnable }: { onEnable: (target: Switched) => void }) {
  const { data: forgotten = [] } = useForgotten();
  if (forgotten.length === 0) return null;
  return (
    <Card padding={0} component="section" aria-label="Switched off, and offered by nobody">
      <Title order={2} size="h5" p="md">
        Switched off, and offered by nobody now
      </Title>
      <Stack gap={0}>
        {forgotten.map(({ model, provider, message }) => (
          <Group
            key={`${model} ${provider}`}
            px="md"
            py="sm"
            justify="space-between"
            wrap="nowrap"
            style={{ borderTop: '1px solid var(--line)' }}
          >
            <Stack gap={2} miw={0}>
              <Text size="sm" truncate>
                <Chosen>{model}</Chosen>
                {provider !== null && ` at ${provider}`}
              </Text>
              <Text size="xs" c="dimmed" lineClamp={2}>
                <Chosen>{message}</Chosen>
              </Text>
            </Stack>
            <Button
              size="xs"
              variant="default"
              aria-label={`Switch on ${model}`}
              onClick={() => onEnable({ model, ...(provider !== null && { provider }) })}
            >
              Switch on
            </Button>
          </Group>
        ))}
      </Stack>
    </Card>
  );
}
