import { ActionIcon, Button, Card, Group, Menu, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconArrowRight, IconBuilding, IconCoins, IconDots, IconPencil, IconPlus } from '@tabler/icons-react';
import { useState } from 'react';
import { Link } from 'wouter';
import { useSession } from '../../../api/session';
import { GrantCredits } from '../../../ui/grant-credits';
import { Paged, Search } from '../../../ui/lists';
import { useOpened } from '../../../ui/opened';
import { Page } from '../../../ui/page';
import { type Column, Rows } from '../../../ui/rows';
import { EmptyState } from '../../../ui/states';
import { Chosen, Time } from '../../../ui/values';
import { CreateOrganisation, RenameOrganisation } from './name-organisation';
import { type Organisation, useOrganisations } from './organisations.api';
import { OrganisationDrawer } from './organisation-drawer';
import { OrganisationStatus } from './status';

/** Everybody who has keys and credits here. */
export default function OrganisationsPage() {
  const { user } = useSession();
  const [opened, open, close] = useOpened('organisation');
  const organisations = useOrganisations();
  const [creating, create] = useDisclosure(false);
  const [granted, setGranted] = useState<Organisation>();
  const [renamed, setRenamed] = useState<Organisation>();
  const createButton = user.operator && (
    <Button leftSection={<IconPlus size={16} />} onClick={create.open}>
      New organisation
    </Button>
  );
  return (
    <Page title="Organisations" description="Everybody who has keys and credits at this gateway." actions={createButton}>
      <Card padding={0}>
        <Paged
          list={organisations}
          one="organisation"
          rows={8}
          above={
            <Group p="md">
              <Search label="Find by name or id" value={organisations.search} onChange={organisations.find} />
            </Group>
          }
          empty={
            <EmptyState icon={IconBuilding} title="No organisations yet" action={createButton}>
              An organisation has members, keys and credits of its own.
            </EmptyState>
          }
        >
          {(rows) => (
            <Rows
              label="Organisations"
              rows={rows}
              keyOf={({ id }) => id}
              columns={columns}
              onOpen={({ id }) => open(id)}
              minWidth={560}
              renderActions={(organisation) => <Actions organisation={organisation} onGrant={setGranted} onRename={setRenamed} />}
            />
          )}
        </Paged>
      </Card>
      <OrganisationDrawer id={opened} onClose={close} onGrant={setGranted} />
      <CreateOrganisation
        opened={creating}
        onClose={create.close}
        onMade={({ id }) => {
          create.close();
          open(id);
        }}
      />
      <RenameOrganisation organisation={renamed} onClose={() => setRenamed(undefined)} />
      <GrantCredits account={granted} onClose={() => setGranted(undefined)} />
    </Page>
  );
}

const columns: Column<Organisation>[] = [
  {
    title: 'Name',
    max: 420,
    cell: ({ name, status }) => (
      <Group gap="xs" wrap="nowrap">
        <Text size="sm" fw={550} truncate title={name}>
          <Chosen>{name}</Chosen>
        </Text>
        <OrganisationStatus status={status} />
      </Group>
    ),
    detail: ({ id }) => <span className="code">{id}</span>,
  },
  { title: 'Rules', cell: ({ rules }) => rulesInShort(rules) },
  { title: 'Created', cell: ({ created_at }) => <Time value={created_at} /> },
];

const words: Record<string, string> = {
  models: 'models',
  providers: 'providers',
  operations: 'operations',
  addresses: 'addresses',
  requests_per_minute: 'requests a minute',
  tokens_per_minute: 'tokens a minute',
  concurrency: 'open requests',
  budgets: 'budgets',
};

function rulesInShort(rules: Organisation['rules']) {
  const named = Object.keys(rules).flatMap((name) => words[name] ?? []);
  return (
    <Text span inherit c={named.length === 0 ? 'dimmed' : undefined}>
      {named.length === 0 ? 'None' : `For ${named.join(', ')}`}
    </Text>
  );
}

interface ActionsProps {
  organisation: Organisation;
  onGrant: (organisation: Organisation) => void;
  onRename: (organisation: Organisation) => void;
}

function Actions({ organisation, onGrant, onRename }: ActionsProps) {
  return (
    <Menu>
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" aria-label={`Actions for ${organisation.name}`}>
          <IconDots size={17} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item component={Link} href={`/accounts/${encodeURIComponent(organisation.id)}`} leftSection={<IconArrowRight size={16} />}>
          Open its pages
        </Menu.Item>
        <Menu.Item leftSection={<IconCoins size={16} />} onClick={() => onGrant(organisation)}>
          Grant credits
        </Menu.Item>
        <Menu.Item leftSection={<IconPencil size={16} />} onClick={() => onRename(organisation)}>
          Rename
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
