import { Button, Card, Group, Stack, Text, Title } from '@mantine/core';
import { IconKey } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { baseUrl } from '../../api/base-url';
import { useChatModel } from '../../api/models';
import { useAccount } from '../../shell/account';
import { CopyButton } from '../../ui/copy';
import { notifyFailure } from '../../ui/notify';
import { useEnvironment } from '../../ui/preferences';
import { snippetsFor } from '../../ui/snippets';
import { SnippetTabs } from '../../ui/snippet-tabs';
import { makeFirstKey } from './overview.api';

const clients = new Set(['curl', 'python', 'javascript']);

/**
 * How the first request is sent, with a key that is made on the spot.
 * @param onMade is called when one is, which is shown as long as the card is
 */
export function FirstSteps({ onMade }: { onMade: () => void }) {
  const account = useAccount();
  const [environment] = useEnvironment();
  const client = useQueryClient();
  const make = useMutation({
    mutationFn: () => makeFirstKey(account.id, environment),
    onError: notifyFailure,
    onSuccess: () => {
      onMade();
      void client.invalidateQueries({ queryKey: ['keys', account.id] });
    },
  });
  const snippets = snippetsFor({
    baseUrl: baseUrl(),
    key: make.data ?? `YOUR_${environment.toUpperCase()}_KEY`,
    model: useChatModel(account.id, environment),
  }).filter(({ id }) => clients.has(id));
  return (
    <Card component="section" aria-label="First steps">
      <Stack>
        <Group justify="space-between" gap="md">
          <div>
            <Title order={2} size="h4">
              Send the first request
            </Title>
            <Text size="sm" c="dimmed" mt={2}>
              {environment === 'test'
                ? 'The sandbox answers test keys, and test credits pay: nothing can go wrong.'
                : 'Any client of the OpenAI format works: only the address and the key change.'}
            </Text>
          </div>
          {make.data ? (
            <CopyButton text={make.data} label="Copy the new key" />
          ) : (
            account.role !== 'viewer' && (
              <Button leftSection={<IconKey size={16} />} loading={make.isPending} onClick={() => make.mutate()}>
                Make a {environment} key
              </Button>
            )
          )}
        </Group>
        {make.data && (
          <Text size="sm" role="status">
            The key is in the snippets below. It is shown this once: keep it, or make another one later.
          </Text>
        )}
        <SnippetTabs snippets={snippets} />
      </Stack>
    </Card>
  );
}
