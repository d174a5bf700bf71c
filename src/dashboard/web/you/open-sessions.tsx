import { Badge, Button, Card, Group, Stack, Text, ThemeIcon, Title } from '@mantine/core';
import { IconDeviceDesktop, IconDeviceMobile } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { answerOf, api, type Schemas } from '../api/client';
import { Answered } from '../ui/lists';
import { notifyDone, notifyFailure } from '../ui/notify';
import { Time } from '../ui/values';
import { browserName, isPhone, openedInWords } from './browsers';

type OpenSession = Schemas['OpenSessionView'];

const queryKey = ['sessions'];

/** The browsers in which the person is signed in, each with a way out. */
export function OpenSessions() {
  const sessions = useQuery({ queryKey, queryFn: () => answerOf(api.GET('/admin/v1/session/sessions')) });
  return (
    <Card padding={0} component="section" aria-label="Where you are signed in">
      <Title order={2} size="h5" p="lg" pb="sm">
        Where you are signed in
      </Title>
      <Answered query={sessions} rows={2}>
        {({ data }) =>
          data
            .toSorted((one, other) => Number(other.current) - Number(one.current))
            .map((session) => <Row key={session.id} session={session} />)
        }
      </Answered>
    </Card>
  );
}

function Row({ session }: { session: OpenSession }) {
  const { id, user_agent, address, seen_at, opened_by, current } = session;
  const client = useQueryClient();
  const end = useMutation({
    mutationFn: () => answerOf(api.DELETE('/admin/v1/session/sessions/{session}', { params: { path: { session: id } } })),
    onSuccess: () => {
      notifyDone(`You are signed out of ${browserName(user_agent)}.`);
      void client.invalidateQueries({ queryKey });
    },
    onError: notifyFailure,
  });
  const Device = isPhone(user_agent) ? IconDeviceMobile : IconDeviceDesktop;
  return (
    <Group px="lg" py="sm" justify="space-between" wrap="nowrap" style={{ borderTop: '1px solid var(--line)' }}>
      <Group gap="sm" wrap="nowrap" miw={0}>
        <ThemeIcon variant="light" color="gray" size={34} radius="xl" aria-hidden>
          <Device size={18} stroke={1.6} />
        </ThemeIcon>
        <Stack gap={0} miw={0}>
          <Group gap={8} wrap="nowrap">
            <Text size="sm" fw={550} truncate title={user_agent}>
              {browserName(user_agent)}
            </Text>
            {current && <Badge>This browser</Badge>}
          </Group>
          <Text size="xs" c="dimmed">
            {openedInWords(opened_by)}
            {address !== null && ` from ${address}`}, seen <Time value={seen_at} />
          </Text>
        </Stack>
      </Group>
      {!current && (
        <Button
          variant="default"
          size="xs"
          flex="none"
          loading={end.isPending}
          aria-label={`Sign out of ${browserName(user_agent)}`}
          onClick={() => end.mutate()}
        >
          Sign out
        </Button>
      )}
    </Group>
  );
}
