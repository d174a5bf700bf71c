import { ActionIcon, Badge, Button, Card, Group, Menu, Text } from '@mantine/core';
import {
  IconActivityHeartbeat,
  IconDots,
  IconPlayerPlay,
  IconPlugConnected,
  IconPlus,
  IconPower,
  IconSettings,
  IconTrash,
} from '@tabler/icons-react';
import { useState } from 'react';
import { Link } from 'wouter';
import { useSession } from '../../../api/session';
import { Paged, Search } from '../../../ui/lists';
import { notifyDone, notifyFailure } from '../../../ui/notify';
import { Page } from '../../../ui/page';
import { Pair } from '../../../ui/pair';
import { type Column, Rows } from '../../../ui/rows';
import { EmptyState } from '../../../ui/states';
import { Chosen, Time } from '../../../ui/values';
import { DisableProvider, RemoveProvider, TryProvider } from './act-on-provider';
import { ProviderForm } from './provider-form';
import { type Provider, useEnableProvider, useProviders } from './providers.api';

type Action = 'try' | 'change' | 'disable' | 'enable' | 'remove';

/** Whom the gateway asks. */
export default function ProvidersPage() {
  const { user } = useSession();
  const providers = useProviders();
  const [form, setForm] = useState<Provider | 'new'>();
  const [acting, setActing] = useState<{ action: Action; provider: Provider }>();
  const enable = useEnableProvider();
  const act = (action: Action, provider: Provider) => {
    if (action === 'change') setForm(provider);
    else if (action === 'enable')
      enable.mutate(provider, { onSuccess: ({ id }) => notifyDone(`${id} is switched on.`), onError: notifyFailure });
    else setActing({ action, provider });
  };
  const target = (action: Action) => (acting?.action === action ? acting.provider : undefined);
  const close = () => setActing(undefined);
  const addButton = user.operator && (
    <Button leftSection={<IconPlus size={16} />} onClick={() => setForm('new')}>
      Add provider
    </Button>
  );
  return (
    <Page
      title="Providers"
      description="Whom the gateway asks. Those of the configuration file are changed there; the others here, at all gateways at once."
      actions={addButton}
    >
      <Card padding={0}>
        <Paged
          list={providers}
          one="provider"
          above={
            <Group p="md">
              <Search label="Find by id, type or address" value={providers.search} onChange={providers.find} />
            </Group>
          }
          empty={
            <EmptyState icon={IconPlugConnected} title="No providers yet" action={addButton}>
              Until there is one, only the sandbox answers.
            </EmptyState>
          }
        >
          {(rows) => (
            <Rows
              label="Providers"
              rows={rows}
              keyOf={({ id, source }) => `${source} ${id}`}
              columns={columns}
              renderActions={(provider) => <Actions provider={provider} onAction={act} />}
            />
          )}
        </Paged>
      </Card>
      <ProviderForm target={form} onClose={() => setForm(undefined)} />
      <TryProvider target={target('try')} onClose={close} />
      <DisableProvider target={target('disable')} onClose={close} />
      <RemoveProvider target={target('remove')} onClose={close} />
    </Page>
  );
}

const addressIn = (settings: Provider['settings']): string => {
  const address = settings?.['base_url'];
  return typeof address === 'string' ? address : '';
};

const columns: Column<Provider>[] = [
  {
    title: 'Provider',
    max: 340,
    cell: ({ id }) => (
      <Text size="sm" fw={550} truncate>
        {id}
      </Text>
    ),
    detail: ({ settings }) => addressIn(settings),
  },
  { title: 'Type', cell: ({ type }) => <span style={{ whiteSpace: 'nowrap' }}>{type ?? 'Unknown'}</span> },
  {
    title: 'Comes from',
    cell: ({ source }) => <span style={{ whiteSpace: 'nowrap' }}>{source === 'file' ? 'Configuration file' : 'Dashboard or API'}</span>,
  },
  { title: 'Status', max: 340, cell: (provider) => <ProviderStatus provider={provider} /> },
  {
    title: 'Added',
    cell: ({ created_at }) => <Time value={created_at} fallback="–" />,
    leftOut: ({ created_at }) => created_at === null,
  },
];

function Actions({ provider, onAction }: { provider: Provider; onAction: (action: Action, provider: Provider) => void }) {
  const { id, source, disabled_at, in_service } = provider;
  const stored = source === 'store';
  const item = (action: Action) => () => onAction(action, provider);
  return (
    <Menu>
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" aria-label={`Actions for ${id}`}>
          <IconDots size={17} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item leftSection={<IconPlayerPlay size={16} />} onClick={item('try')}>
          Test
        </Menu.Item>
        {in_service && (
          <Menu.Item
            component={Link}
            href={`/operate/offers?provider=${encodeURIComponent(id)}`}
            leftSection={<IconActivityHeartbeat size={16} />}
          >
            See its offers
          </Menu.Item>
        )}
        {stored && (
          <>
            <Menu.Item leftSection={<IconSettings size={16} />} onClick={item('change')}>
              Change
            </Menu.Item>
            <Menu.Divider />
            {disabled_at === null ? (
              <Menu.Item color="red" leftSection={<IconPower size={16} />} onClick={item('disable')}>
                Switch off
              </Menu.Item>
            ) : (
              <Menu.Item leftSection={<IconPower size={16} />} onClick={item('enable')}>
                Switch on
              </Menu.Item>
            )}
            <Menu.Item color="red" leftSection={<IconTrash size={16} />} onClick={item('remove')}>
              Remove
            </Menu.Item>
          </>
        )}
      </Menu.Dropdown>
    </Menu>
  );
}

/** Whether a provider serves, and if not, why. */
function ProviderStatus({ provider: { in_service, disabled_at, problem, message } }: { provider: Provider }) {
  const [color, word] = disabled_at !== null ? ['gray', 'Switched off'] : in_service ? ['signal', 'In service'] : ['red', 'Does not serve'];
  const why = problem ?? message;
  return (
    <Pair detail={why && <Chosen>{why}</Chosen>} title={why ?? ''}>
      <Badge color={color}>{word}</Badge>
    </Pair>
  );
}
