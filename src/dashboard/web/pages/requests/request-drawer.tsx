import { Badge, Code, Drawer, Group, SimpleGrid, Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { useKeyNames } from '../../api/keys';
import { useAccount } from '../../shell/account';
import { CodeBlock } from '../../ui/code-block';
import { Fact } from '../../ui/fact';
import { count, duration } from '../../ui/numbers';
import { RequestHead } from '../../ui/request-head';
import { ErrorState, RowsLoading } from '../../ui/states';
import { fullTime } from '../../ui/times';
import { sentence } from '../../ui/words';
import { Charge } from './charge';
import { type RequestDetail, useRequest } from './requests.api';
import { Timeline } from './timeline';

interface RequestDrawerProps {
  id: string | null;
  onClose: () => void;
}

/** One request, explained. */
export function RequestDrawer({ id, onClose }: RequestDrawerProps) {
  const request = useRequest(id);
  return (
    <Drawer opened={id !== null} onClose={onClose} size={680} title="Request">
      {request.isPending && <RowsLoading />}
      {request.isError && <ErrorState error={request.error} retry={() => void request.refetch()} />}
      {request.data && <Explained request={request.data} />}
    </Drawer>
  );
}

function Explained({ request }: { request: RequestDetail }) {
  const nameOfKey = useKeyNames(useAccount().id, [request.key_id]);
  const speed = speedOf(request);
  return (
    <Stack gap="xl" pb="xl">
      <RequestHead request={request} />
      <SimpleGrid cols={{ base: 2, xs: 3 }} spacing="md" component="dl" m={0} className="numbers">
        <Fact name="Time">{fullTime(request.created_at)}</Fact>
        <Fact name="Duration">{duration(request.duration_ms)}</Fact>
        <Fact name="First token">{request.first_token_ms === null ? '–' : duration(request.first_token_ms)}</Fact>
        <Fact name="Tokens">
          {request.prompt_tokens === null ? '–' : `${count(request.prompt_tokens)} in, ${count(request.completion_tokens ?? 0)} out`}
          {request.estimated && ' (estimated)'}
          {request.contradictory && ' (contradictory)'}
        </Fact>
        <Fact name="Speed">{speed === undefined ? '–' : `${speed.toFixed(1)} tokens/s`}</Fact>
        <Fact name="Provider">{request.provider ?? '–'}</Fact>
        <Fact name="Operation">
          {sentence(request.operation)}
          {request.streamed ? ', streamed' : ''}
        </Fact>
        <Fact name="Key">{nameOfKey(request.key_id)}</Fact>
        <Fact name="Environment">{sentence(request.environment ?? '–')}</Fact>
        {request.client_request_id !== null && <Fact name="The client’s own id">{request.client_request_id}</Fact>}
      </SimpleGrid>
      <Section title="Calls of providers">
        <Timeline request={request} />
      </Section>
      <Section title="Price">
        <Charge request={request} />
      </Section>
      {request.dropped_parameters.length > 0 && (
        <Section title="Parameters that the provider could not take">
          <Group gap={6}>
            {request.dropped_parameters.map((name) => (
              <Code key={name}>{name}</Code>
            ))}
          </Group>
        </Section>
      )}
      <Section title="Text">
        <Texts text={request.text} />
      </Section>
    </Stack>
  );
}

function Texts({ text }: { text: RequestDetail['text'] }) {
  const { role } = useAccount();
  if (!text)
    return (
      <Text size="sm" c="dimmed">
        {role === 'viewer'
          ? 'Viewers do not see what was asked and answered.'
          : 'What was asked and answered is not kept for this request.'}
      </Text>
    );
  return (
    <Stack gap="sm">
      <Badge color="gray" variant="outline">
        Request
      </Badge>
      <CodeBlock code={pretty(text.request)} maxHeight={320} label="Copy the request" />
      <Badge color="gray" variant="outline">
        Answer
      </Badge>
      {text.answer === null ? (
        <Text size="sm" c="dimmed">
          There was none.
        </Text>
      ) : (
        <CodeBlock code={pretty(text.answer)} maxHeight={320} label="Copy the answer" />
      )}
    </Stack>
  );
}

/** Tokens a second of a streamed answer, from the first one on; undefined where it is unknown. */
function speedOf({ completion_tokens, first_token_ms, duration_ms, streamed }: RequestDetail): number | undefined {
  if (!streamed || completion_tokens === null || completion_tokens === 0 || duration_ms === null) return undefined;
  const milliseconds = duration_ms - (first_token_ms ?? 0);
  return milliseconds > 0 ? (completion_tokens * 1_000) / milliseconds : undefined;
}

function pretty(json: string): string {
  try {
    return JSON.stringify(JSON.parse(json), null, 2);
  } catch {
    return json;
  }
}

function Section({ title, children }: { title: string; children: ReactNode }) {
  return (
    <Stack gap="sm" component="section" aria-label={title}>
      <Title order={3} size="h5">
        {title}
      </Title>
      {children}
    </Stack>
  );
}
