import { Alert, Badge, Box, Card, Code, Group, SimpleGrid, Stack, Text, ThemeIcon, Title } from '@mantine/core';
import { IconBan } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { Fact } from '../../../ui/fact';
import { count, perMillion } from '../../../ui/numbers';
import { Chosen, Credits } from '../../../ui/values';
import type { Tryout } from './routing.api';

type Route = Tryout['routes'][number];

/** Where a request would go, and why. */
export function Answer({ tryout }: { tryout: Tryout }) {
  const { model, strategy, routes, excluded, held, refusal } = tryout;
  const first = routes.find(({ skipped }) => skipped === null);
  return (
    <Stack>
      {refusal ? (
        <Alert color="red" role="alert" icon={<IconBan size={18} />} title="It would be refused">
          <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
            <Chosen>{refusal.message}</Chosen> <Code>{refusal.code}</Code>
          </Text>
        </Alert>
      ) : (
        <Card padding="md" role="status">
          <Text size="sm" c="dimmed">
            By the strategy <b>{strategy}</b>, <Chosen>{model}</Chosen> would be answered by
          </Text>
          <Text fz={22} fw={600} style={{ overflowWrap: 'anywhere' }}>
            {first ? first.provider : 'nobody now: each offer would be passed over'}
          </Text>
          {held && (
            <SimpleGrid cols={{ base: 2, sm: 4 }} component="dl" m={0} mt="sm" className="numbers">
              <Fact name="Expected cost">{first ? <Credits value={first.expected_cost} unit /> : '–'}</Fact>
              <Fact name="Held at most">
                <Credits value={held.amount} unit />
              </Fact>
              <Fact name="Prompt tokens, at most">{count(held.prompt_tokens)}</Fact>
              <Fact name="Answer tokens, at most">
                {count(held.max_tokens)}
                {held.choices > 1 && ` for each of ${held.choices}`}
                {held.may_shrink && ', fewer where credits run low'}
              </Fact>
            </SimpleGrid>
          )}
        </Card>
      )}
      {routes.length > 0 && (
        <Listed title="Asked in this order" label="Asked">
          {routes.map((route, index) => (
            <RouteRow key={`${route.provider} ${route.upstream_model}`} route={route} place={index + 1} />
          ))}
        </Listed>
      )}
      {excluded.length > 0 && (
        <Listed title="Not asked" label="Not asked">
          {excluded.map(({ provider, upstream_model, reason }) => (
            <Box component="li" key={`${provider} ${upstream_model}`} px="md" py="sm" style={{ borderTop: '1px solid var(--line)' }}>
              <Offer provider={provider} upstream={upstream_model} />
              <Text size="sm">
                <Chosen>{reason}</Chosen>
              </Text>
            </Box>
          ))}
        </Listed>
      )}
    </Stack>
  );
}

function Listed({ title, label, children }: { title: string; label: string; children: ReactNode }) {
  return (
    <Card padding={0} component="section" aria-label={label}>
      <Title order={2} size="h5" p="md">
        {title}
      </Title>
      <Box component="ol" m={0} p={0} style={{ listStyle: 'none' }}>
        {children}
      </Box>
    </Card>
  );
}

const skips: Record<string, string> = { circuit_open: 'Passed over: breaker open', queue_full: 'Passed over: queue full' };

function RouteRow({ route, place }: { route: Route; place: number }) {
  const { provider, upstream_model, answered_by, reason, skipped, price, expected_cost, calls, dropped_parameters } = route;
  return (
    <Group component="li" wrap="nowrap" align="flex-start" px="md" py="sm" style={{ borderTop: '1px solid var(--line)' }}>
      <ThemeIcon variant="light" color={skipped === null ? 'signal' : 'gray'} radius="xl" size={26} fz="xs" fw={600}>
        {place}
      </ThemeIcon>
      <Stack gap={4} flex={1} miw={0}>
        <Group justify="space-between" gap="xs">
          <Offer provider={provider} upstream={upstream_model} />
          {skipped !== null && <Badge color="orange">{skips[skipped] ?? skipped}</Badge>}
        </Group>
        <Text size="sm">{reason}</Text>
        <Group gap="md" fz="xs" c="dimmed" className="numbers">
          <span>
            About <Credits value={expected_cost} unit />
          </span>
          <span>{price === null ? 'No price' : `${perMillion(price.prompt)} / ${perMillion(price.completion)} per million`}</span>
          {calls > 1 && <span>{calls} calls</span>}
          {answered_by !== provider && <span>Answered by {answered_by}</span>}
          {dropped_parameters.length > 0 && <span>Without {dropped_parameters.join(', ')}</span>}
        </Group>
      </Stack>
    </Group>
  );
}

function Offer({ provider, upstream }: { provider: string; upstream: string }) {
  return (
    <Text size="sm" fw={550} style={{ overflowWrap: 'anywhere' }}>
      {provider}{' '}
      <Text span inherit fw={400} c="dimmed">
        <Chosen>{upstream}</Chosen>
      </Text>
    </Text>
  );
}
