import { Alert, Button, Group, Modal, Select, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { notifyDone } from '../../ui/notify';
import { type Key, type MadeKey, useRevokeKey, useRotateKey } from './keys.api';

const graces = [
  { value: '0', label: 'At once' },
  { value: '3600', label: 'In an hour' },
  { value: '86400', label: 'In a day' },
  { value: '604800', label: 'In a week' },
  { value: '2592000', label: 'In 30 days' },
];

const nameOf = (key: Key): string => key.label || key.display;

/** Replaces a key by a new one; both work until the old one ends. */
export function RotateKey({ target, onClose, onMade }: { target: Key | undefined; onClose: () => void; onMade: (key: MadeKey) => void }) {
  const [grace, setGrace] = useState('86400');
  const rotate = useRotateKey();
  return (
    <Modal opened={target !== undefined} onClose={onClose} title="Rotate this key">
      <Stack>
        {rotate.error && (
          <Alert color="red" role="alert">
            {rotate.error.message}
          </Alert>
        )}
        <Text size="sm">
          A new key takes the place of <b>{target && nameOf(target)}</b>, with the same rules, limits and budgets. The old one works until
          it ends, so that nothing fails while you replace it.
        </Text>
        <Select label="The old key ends" data={graces} value={grace} allowDeselect={false} onChange={(value) => value && setGrace(value)} />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button
            loading={rotate.isPending}
            data-autofocus
            onClick={() => target && rotate.mutate({ key: target, grace: Number(grace) }, { onSuccess: onMade })}
          >
            Make the new key
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}

/** Makes a key invalid, for good. */
export function RevokeKey({ target, onClose }: { target: Key | undefined; onClose: () => void }) {
  const revoke = useRevokeKey();
  const run = (key: Key) =>
    revoke.mutate(key, {
      onSuccess: () => {
        notifyDone(`${nameOf(key)} is revoked.`);
        onClose();
      },
    });
  return (
    <Modal opened={target !== undefined} onClose={onClose} title="Revoke this key">
      <Stack>
        {revoke.error && (
          <Alert color="red" role="alert">
            {revoke.error.message}
          </Alert>
        )}
        <Text size="sm">
          <b>{target && nameOf(target)}</b> is refused everywhere within a second, and its open requests end. This cannot be undone.
        </Text>
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose} data-autofocus>
            Cancel
          </Button>
          <Button color="red" loading={revoke.isPending} onClick={() => target && run(target)}>
            Revoke
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
