import { Badge, Button, Card, Text } from '@mantine/core';
import { IconPlus, IconRobot, IconTrash } from '@tabler/icons-react';
import { useState } from 'react';
import { Confirm } from '../../ui/dialogs';
import { IconAction } from '../../ui/icon-action';
import { Paged } from '../../ui/lists';
import { notifyDone } from '../../ui/notify';
import { type Column, Rows } from '../../ui/rows';
import { EmptyState } from '../../ui/states';
import { Time } from '../../ui/values';
import { type Token, useRevokeToken, useTokens } from './members.api';
import { Role } from './members-table';

/** The tokens with which programs call the administration API for this account. */
export function Tokens({ onCreate }: { onCreate: () => void }) {
  const [revoking, setRevoking] = useState<Token>();
  return (
    <Card padding={0} component="section" aria-label="Administration tokens">
      <Paged
        list={useTokens()}
        one="token"
        rows={3}
        empty={
          <EmptyState
            icon={IconRobot}
            title="No tokens yet"
            action={
              <Button leftSection={<IconPlus size={16} />} onClick={onCreate}>
                Create token
              </Button>
            }
          >
            With a token a program of yours calls the administration API: it makes keys, or reads what they have cost. Models are called
            with API keys.
          </EmptyState>
        }
      >
        {(rows) => (
          <Rows
            label="Tokens"
            rows={rows.toReversed()}
            keyOf={({ id }) => id}
            columns={columns}
            renderActions={(token) => <Revoke token={token} onRevoke={setRevoking} />}
            minWidth={640}
          />
        )}
      </Paged>
      <RevokeToken target={revoking} onClose={() => setRevoking(undefined)} />
    </Card>
  );
}

const columns: Column<Token>[] = [
  { title: 'Name', max: 380, cell: (token) => <Name token={token} />, detail: ({ display }) => <span className="code">{display}</span> },
  { title: 'Role', cell: ({ role }) => <Role role={role} /> },
  { title: 'Status', cell: (token) => <Status token={token} /> },
  { title: 'Created', cell: ({ created_at }) => <Time value={created_at} /> },
  { title: 'Ends', cell: ({ revoked_at, expires_at }) => <Time value={revoked_at ?? expires_at} /> },
];

const Name = ({ token: { label } }: { token: Token }) => (
  <Text size="sm" fw={550} truncate title={label}>
    {label || 'Unnamed'}
  </Text>
);

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
  return <IconAction icon={IconTrash} label="Revoke" name={`Revoke ${nameOf(token)}`} onClick={() => onRevoke(token)} />;
}

const nameOf = ({ label, display }: Token): string => label || display;

function RevokeToken({ target, onClose }: { target: Token | undefined; onClose: () => void }) {
  const revoke = useRevokeToken();
  const close = () => {
    onClose();
    revoke.reset();
  };
  const run = (token: Token) =>
    revoke.mutate(token, {
      onSuccess: () => {
        notifyDone(`${nameOf(token)} is revoked.`);
        close();
      },
    });
  return (
    <Confirm
      opened={target !== undefined}
      onClose={close}
      title="Revoke this token"
      action="Revoke"
      run={() => target && run(target)}
      pending={revoke.isPending}
      error={revoke.error}
    >
      <Text size="sm">
        <b>{target && nameOf(target)}</b> is refused everywhere within a second. This cannot be undone.
      </Text>
    </Confirm>
  );
}
