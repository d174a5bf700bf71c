import { Select, Text } from '@mantine/core';
import { useState } from 'react';
import { Confirm } from '../../ui/dialogs';
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
  const close = () => {
    onClose();
    rotate.reset();
  };
  return (
    <Confirm
      opened={target !== undefined}
      onClose={close}
      title="Rotate this key"
      action="Make the new key"
      harmful={false}
      run={() => target && rotate.mutate({ key: target, grace: Number(grace) }, { onSuccess: onMade })}
      pending={rotate.isPending}
      error={rotate.error}
    >
      <Text size="sm">
        A new key takes the place of <b>{target && nameOf(target)}</b>, with the same rules, limits and budgets. The old one works until it
        ends, so that nothing fails while you replace it.
      </Text>
      <Select label="The old key ends" data={graces} value={grace} allowDeselect={false} onChange={(value) => value && setGrace(value)} />
    </Confirm>
  );
}

/** Makes a key invalid, for good. */
export function RevokeKey({ target, onClose }: { target: Key | undefined; onClose: () => void }) {
  const revoke = useRevokeKey();
  const close = () => {
    onClose();
    revoke.reset();
  };
  const run = (key: Key) =>
    revoke.mutate(key, {
      onSuccess: () => {
        notifyDone(`${nameOf(key)} is revoked.`);
        close();
      },
    });
  return (
    <Confirm
      opened={target !== undefined}
      onClose={close}
      title="Revoke this key"
      action="Revoke"
      run={() => target && run(target)}
      pending={revoke.isPending}
      error={revoke.error}
    >
      <Text size="sm">
        <b>{target && nameOf(target)}</b> is refused everywhere within a second, and its open requests end. This cannot be undone.
      </Text>
    </Confirm>
  );
}
