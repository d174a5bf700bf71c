import { Badge, Box, Button, Drawer, Group, SimpleGrid, Stack, Text, Title } from '@mantine/core';
import { IconArrowRight, IconPlus } from '@tabler/icons-react';
import { Link } from 'wouter';
import { CodeBlock } from '../../../ui/code-block';
import { CopyIcon } from '../../../ui/copy';
import { Answered, Paged } from '../../../ui/lists';
import { shifted } from '../../../ui/numbers';
import { Tile } from '../../../ui/tile';
import { Chosen, Credits, Time } from '../../../ui/values';
import { sentence } from '../../../ui/words';
import { type Organisation, useBalances, useOrganisation, useTransfers } from './organisations.api';
import { OrganisationStatus, OrganisationSteps } from './status';

interface DrawerProps {
  id: string | null;
  onClose: () => void;
  onGrant: (organisation: Organisation) => void;
}

/** One organisation: what it has, what it was given, and the way to its pages. */
export function OrganisationDrawer({ id, onClose, onGrant }: DrawerProps) {
  return (
    <Drawer opened={id !== null} onClose={onClose} size={560} title="Organisation">
      {id !== null && <Loaded id={id} onGrant={onGrant} />}
    </Drawer>
  );
}

function Loaded({ id, onGrant }: { id: string; onGrant: DrawerProps['onGrant'] }) {
  const organisation = useOrganisation(id);
  return <Answered query={organisation}>{(loaded) => <Shown organisation={loaded} onGrant={onGrant} />}</Answered>;
}

function Shown({ organisation, onGrant }: { organisation: Organisation; onGrant: DrawerProps['onGrant'] }) {
  const { id, name, rules, status, created_at } = organisation;
  return (
    <Stack gap="xl" pb="xl">
      <Stack gap={4}>
        <Title order={2} size="h3">
          <Chosen>{name}</Chosen> <OrganisationStatus status={status} />
        </Title>
        <Group gap={6} wrap="nowrap">
          <Text size="xs" ff="monospace" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
            {id}
          </Text>
          <CopyIcon text={id} label="Copy the id" />
        </Group>
        <Text size="xs" c="dimmed">
          Created <Time value={created_at} />
        </Text>
      </Stack>
      <Group gap="sm">
        <Button leftSection={<IconPlus size={16} />} onClick={() => onGrant(organisation)}>
          Grant credits
        </Button>
        <Button variant="default" component={Link} href={`/accounts/${encodeURIComponent(id)}`} rightSection={<IconArrowRight size={16} />}>
          Open its pages
        </Button>
      </Group>
      <OrganisationSteps organisation={organisation} />
      <Balances account={id} />
      <Given account={id} />
      {Object.keys(rules).length > 0 && (
        <Stack gap="sm" component="section" aria-label="Rules">
          <Title order={3} size="h5">
            Rules for all of its keys
          </Title>
          <CodeBlock code={JSON.stringify(rules, plain, 2)} maxHeight={260} label="Copy the rules" />
        </Stack>
      )}
    </Stack>
  );
}

/** An amount is shown without needless zeros. */
const plain = (_: string, value: unknown) => (typeof value === 'string' && /^\d+\.\d+$/.test(value) ? shifted(value, 0) : value);

function Balances({ account }: { account: string }) {
  const balances = useBalances(account);
  return (
    <Answered query={balances} rows={1}>
      {({ data }) => (
        <SimpleGrid cols={2}>
          {data.map(({ environment, available, held }) => (
            <Tile
              key={environment}
              label={environment === 'live' ? 'Live, to spend' : 'Test, to spend'}
              value={<Credits value={available} />}
              note={
                <>
                  <Credits value={held} /> held
                </>
              }
            />
          ))}
        </SimpleGrid>
      )}
    </Answered>
  );
}

function Given({ account }: { account: string }) {
  const transfers = useTransfers(account);
  return (
    <Stack gap="sm" component="section" aria-label="Credits given">
      <Title order={3} size="h5">
        Credits given
      </Title>
      <Paged
        list={transfers}
        one="grant"
        rows={2}
        empty={
          <Text size="sm" c="dimmed">
            None yet.
          </Text>
        }
      >
        {(all) => (
          <Box component="ul" m={0} p={0} style={{ listStyle: 'none' }}>
            {all.map((transfer) => (
              <Group
                component="li"
                key={transfer.id}
                justify="space-between"
                wrap="nowrap"
                align="flex-start"
                py="xs"
                style={{ borderTop: '1px solid var(--line)' }}
              >
                <Box miw={0}>
                  <Text size="sm">{transfer.note === '' ? 'No reason given' : <Chosen>{transfer.note}</Chosen>}</Text>
                  <Text size="xs" c="dimmed">
                    <Time value={transfer.created_at} />
                  </Text>
                </Box>
                <Group gap={8} wrap="nowrap" style={{ flexShrink: 0 }}>
                  <Badge style={{ flexShrink: 0 }} color={transfer.environment === 'live' ? 'signal' : 'gray'}>
                    {sentence(transfer.environment)}
                  </Badge>
                  <Text size="sm" fw={600}>
                    <Credits value={transfer.amount} />
                  </Text>
                </Group>
              </Group>
            ))}
          </Box>
        )}
      </Paged>
    </Stack>
  );
}
