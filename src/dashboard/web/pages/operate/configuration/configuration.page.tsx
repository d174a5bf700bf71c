import { Alert, Badge, Card, Code, Group, List, SimpleGrid, Switch, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { IconAlertTriangle, IconClockPause, IconSearch } from '@tabler/icons-react';
import { useState } from 'react';
import { answerOf, api, type Schemas } from '../../../api/client';
import { Answered, Search } from '../../../ui/lists';
import { count } from '../../../ui/numbers';
import { Page } from '../../../ui/page';
import { type Column, Rows } from '../../../ui/rows';
import { EmptyState } from '../../../ui/states';
import { Tile } from '../../../ui/tile';
import { Chosen, Time } from '../../../ui/values';

/** A value of the configuration. */
interface Setting {
  /** Dotted. */
  readonly name: string;
  /** As text. */
  readonly value: string;
  /** `file:line:column` or a variable; undefined: it is the default, or not known. */
  readonly source: string | undefined;
}

/** All values of a configuration, in its order. */
function settingsOf(configuration: unknown, sources: Readonly<Record<string, string>> | null, name = ''): Setting[] {
  if (typeof configuration === 'object' && configuration !== null && !Array.isArray(configuration)) {
    const entries = Object.entries(configuration);
    if (entries.length > 0 || name === '')
      return entries.flatMap(([key, below]) => settingsOf(below, sources, name === '' ? key : `${name}.${key}`));
  }
  const value = typeof configuration === 'string' ? configuration : JSON.stringify(configuration);
  return [{ name, value, source: sourceOf(name, sources) }];
}

/** A value that is part of one that was given comes from where that came from. */
function sourceOf(name: string, sources: Readonly<Record<string, string>> | null): string | undefined {
  if (sources === null) return undefined;
  for (let at = name; at !== ''; at = at.slice(0, Math.max(at.lastIndexOf('.'), 0))) if (Object.hasOwn(sources, at)) return sources[at];
  return undefined;
}

type Configuration = Schemas['ConfigurationView'];

/** What is in force, and where it comes from. */
export default function ConfigurationPage() {
  const configuration = useQuery({
    queryKey: ['operate', 'configuration'],
    queryFn: () => answerOf(api.GET('/admin/v1/configuration')),
  });
  return (
    <Page
      title="Configuration"
      description="What is in force at the process that answered, with its defaults. Secrets are not shown. The configuration file and the environment change it."
    >
      <Answered query={configuration} rows={8}>
        {(loaded) => (
          <>
            <Facts configuration={loaded} />
            <Reload reload={loaded.last_reload} />
            <Settings configuration={loaded} />
          </>
        )}
      </Answered>
    </Page>
  );
}

function Facts({ configuration: { program_version, revision, since, last_reload, stored_providers } }: { configuration: Configuration }) {
  return (
    <SimpleGrid cols={{ base: 2, md: 4 }} spacing={{ base: 'sm', sm: 'md' }}>
      <Tile label="Version" value={program_version} note="of the program" />
      <Tile label="Revision" value={count(revision)} note="since its start" />
      <Tile
        label="In force"
        value={
          <Text span inherit fz="clamp(0.75rem, 10cqi, 1.375rem)">
            <Time value={since} />
          </Text>
        }
        note={last_reload ? <ReadAgain at={last_reload.at} /> : 'never read again'}
      />
      <Tile label="Providers added here" value={count(stored_providers.length)} note="beside those of the file" />
    </SimpleGrid>
  );
}

const ReadAgain = ({ at }: { at: string }) => (
  <>
    read again <Time value={at} />
  </>
);

function Reload({ reload }: { reload: Configuration['last_reload'] }) {
  if (!reload) return null;
  return (
    <>
      {reload.problems.length > 0 && (
        <Alert color="red" role="alert" icon={<IconAlertTriangle size={18} />} title="The file cannot be used as it is now">
          <Text size="sm">What was read before stays in force.</Text>
          <List size="sm" mt="xs" style={{ overflowWrap: 'anywhere' }}>
            {reload.problems.map((problem) => (
              <List.Item key={problem}>
                <Chosen>{problem}</Chosen>
              </List.Item>
            ))}
          </List>
        </Alert>
      )}
      {reload.waiting.length > 0 && (
        <Alert color="yellow" icon={<IconClockPause size={18} />} title="Some changes wait for a restart">
          <Group gap={6} mt={4}>
            {reload.waiting.map((name) => (
              <Code key={name}>{name}</Code>
            ))}
          </Group>
        </Alert>
      )}
    </>
  );
}

function Settings({ configuration: { configuration, sources } }: { configuration: Configuration }) {
  const [search, setSearch] = useState('');
  const [onlyGiven, setOnlyGiven] = useState(false);
  const wanted = search.toLowerCase();
  const found = settingsOf(configuration, sources)
    .filter(({ source }) => !onlyGiven || source !== undefined)
    .filter(({ name, value, source = '' }) => `${name} ${value} ${source}`.toLowerCase().includes(wanted));
  return (
    <Card padding={0}>
      <Group p="md" gap="md">
        <Search label="Find a setting, value or source" value={search} onChange={setSearch} />
        {sources !== null && (
          <Switch label="Only what is no default" checked={onlyGiven} onChange={(event) => setOnlyGiven(event.currentTarget.checked)} />
        )}
      </Group>
      {found.length === 0 ? (
        <EmptyState icon={IconSearch} title="No setting matches">
          Names, values and sources are searched.
        </EmptyState>
      ) : (
        <Rows label="Settings" rows={found} keyOf={({ name }) => name} columns={columnsFor(sources !== null)} minWidth={680} />
      )}
    </Card>
  );
}

const columnsFor = (known: boolean): Column<Setting>[] => [
  {
    title: 'Setting',
    max: 380,
    cell: ({ name }) => (
      <Text size="sm" fw={500} style={{ overflowWrap: 'anywhere' }}>
        {name}
      </Text>
    ),
  },
  {
    title: 'Value',
    max: 420,
    cell: ({ value }) => (
      <Code style={{ overflowWrap: 'anywhere', whiteSpace: 'pre-wrap' }}>
        <bdi>{value === '' ? '""' : value}</bdi>
      </Code>
    ),
  },
  ...(known
    ? [
        {
          title: 'Comes from',
          max: 300,
          cell: ({ source }: Setting) =>
            source === undefined ? (
              <Text span inherit c="dimmed">
                Default
              </Text>
            ) : (
              <Badge variant="light" color="gray" maw="100%" title={source} ff="monospace" fw={500}>
                {source}
              </Badge>
            ),
        },
      ]
    : []),
];
