import { ActionIcon, Badge, Box, Button, Card, Group, Modal, Stack, Table, Text, Tooltip, VisuallyHidden } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { IconPlus, IconRobot, IconTrash } from '@tabler/icons-react';
import { useState } from 'react';
import { useAccount } from '../../shell/account';
import { FormError } from '../../ui/form-error';
import { notifyDone } from '../../ui/notify';
import { EmptyState, ErrorState, RowsLoading } from '../../ui/states';
import { Time } from '../../ui/values';
import { type Token, tokensQuery, useRevokeToken } from './members.api';
import { Role } from './members-table';

/** The tokens with which programs call the administration API for this account. */
export function Tokens({ onCreate }: { onCreate: () => void }) {
  const account = useAccount();
  const tokens = useInfiniteQuery(tokensQuery(account.id));
  const [revoking, setRevoking] = useState<Token>();
  const all = tokens.data?.pages.flatMap(({ data }) => data).toReversed() ?? [];
  return (
    <Card padding={0} component="section" aria-label="Administration tokens">
      {tokens.isPending ? (
        <RowsLoading rows={3} />
      ) : tokens.isError ? (
        <ErrorState error={tokens.error} retry={() => void tokens.refetch()} />
      ) : all.length === 0 ? (
        <EmptyState
          icon={IconRobot}
          title="No tokens yet"
          action={
            <Button leftSection={<IconPlus size={16} />} onClick={onCreate}>
              Create token
            </Button>
          }
        >
          With a token a program of yours calls the administration API: it makes keys, or reads what they have cost. Models are called with
          API keys.
        </EmptyState>
      ) : (
        <TokensTable tokens={all} onRevoke={setRevoking} />
      )}
      {tokens.hasNextPage && (
        <Group justify="center" p="md">
          <Button variant="default" loading={tokens.isFetchingNextPage} onClick={() => void tokens.fetchNextPage()}>
            Load more
          </Button>
        </Group>
      )}
      <RevokeToken target={revoking} onClose={() => setRevoking(undefined)} />
    </Card>
  );
}

function TokensTable({ tokens, onRevoke }: { tokens: readonly Token[]; onRevoke: (token: Token) => void }) {
  return (
    <>
      <Table.ScrollContainer minWidth={640} visibleFrom="sm">
        <Table highlightOnHover>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Name</Table.Th>
              <Table.Th>Role</Table.Th>
              <Table.Th>Status</Table.Th>
              <Table.Th>Created</Table.Th>
              <Table.Th>Ends</Table.Th>
              <Table.Th w={48}>
                <VisuallyHidden>Actions</VisuallyHidden>
              </Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {tokens.map((token) => (
              <Table.Tr key={token.id}>
                <Table.Td maw={320}>
                  <Name token={token} />
                </Table.Td>
                <Table.Td>
                  <Role role={token.role} />
                </Table.Td>
                <Table.Td>
                  <Status token={token} />
                </Table.Td>
                <Table.Td>
                  <Time value={token.created_at} />
                </Table.Td>
                <Table.Td>
                  <Time value={token.revoked_at ?? token.expires_at} />
                </Table.Td>
                <Table.Td>
                  <Revoke token={token} onRevoke={onRevoke} />
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
      <Stack gap={0} hiddenFrom="sm">
        {tokens.map((token) => (
          <Box key={token.id} p="md" style={{ borderBottom: '1px solid var(--line)' }}>
            <Group justify="space-between" wrap="nowrap" align="flex-start">
              <Name token={token} />
              <Revoke token={token} onRevoke={onRevoke} />
            </Group>
            <Group gap="xs" mt="xs">
              <Role role={token.role} />
              <Status token={token} />
              <Text size="xs" c="dimmed">
                Ends <Time value={token.revoked_at ?? token.expires_at} fallback="never" />
              </Text>
            </Group>
          </Box>
        ))}
      </Stack>
    </>
  );
}

function Name({ token: { label, display } }: { token: Token }) {
  return (
    <Stack gap={2} miw={0}>
      <Text size="sm" fw={550} truncate title={label}>
        {label || 'Unnamed'}
      </Text>
      <Text size="xs" c="dimmed" ff="monospace">
        {display}
      </Text>
    </Stack>
  );
}

const statuses = {
  active: { color: 'signal', word: 'Active' },
  expired: { color: 'gray', word: 'Expired' },
  revoked: { color: 'red', word: 'Revoked' },
} as const;

function Status({ token: { status } }: { token: Token }) {
  const { color, word } = statuses[status];
  return <Badge color={color}>{word}</Badge>;
}

function Revoke({ token, onRevoke }: { token: Token; onRevoke: (token: Token) => void }) {
  if (token.status !== 'active') return null;
  return (
    <Tooltip label="Revoke">
      <ActionIcon variant="subtle" color="gray" aria-label={`Revoke ${token.label || token.display}`} onClick={() => onRevoke(token)}>
        <IconTrash size={16} />
      </ActionIcon>
    </Tooltip>
  );
}

function RevokeToken({ target, onClose }: { target: Token | undefined; onClose: () => void }) {
  return (
    <Modal opened={target !== undefined} onClose={onClose} title="Revoke this token">
      {target && <RevokeForm key={target.id} target={target} onClose={onClose} />}
    </Modal>
  );
}

function RevokeForm({ target, onClose }: { target: Token; onClose: () => void }) {
  const revoke = useRevokeToken();
  const name = target.label || target.display;
  const run = () =>
    revoke.mutate(target, {
      onSuccess: () => {
        notifyDone(`${name} is revoked.`);
        onClose();
      },
    });
  return (
    <Stack>
      <FormError error={revoke.error} />
      <Text size="sm">
        <b>{name}</b> is refused everywhere within a second. This cannot be undone.
      </Text>
      <Group justify="flex-end">
        <Button variant="default" onClick={onClose} data-autofocus>
          Cancel
        </Button>
        <Button color="red" loading={revoke.isPending} onClick={run}>
          Revoke
        </Button>
      </Group>
    </Stack>
  );
}
