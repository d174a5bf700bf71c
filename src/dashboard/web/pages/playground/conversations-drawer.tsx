import { Button, Drawer, Group, Stack, Text, UnstyledButton } from '@mantine/core';
import { IconHistory, IconTrash } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { IconAction } from '../../ui/icon-action';
import { notifyFailure } from '../../ui/notify';
import { EmptyState, ErrorState, RowsLoading } from '../../ui/states';
import { Time } from '../../ui/values';
import type { Conversation } from './conversation';
import classes from './conversations-drawer.module.css';
import { forget, kept, keptOf, MAX_KEPT } from './kept-conversations';

interface ConversationsDrawerProps {
  readonly opened: boolean;
  readonly onClose: () => void;
  readonly owner: string;
  /** The id of the conversation that is shown. */
  readonly shown: string;
  readonly onOpen: (conversation: Conversation) => void;
  /** Those that are about to be forgotten. */
  readonly onForget: (ids: readonly string[]) => void;
}

/** The conversations that this browser keeps. */
export default function ConversationsDrawer({ opened, onClose, owner, shown, onOpen, onForget }: ConversationsDrawerProps) {
  const client = useQueryClient();
  const [sure, setSure] = useState(false);
  const queryKey = ['conversations', owner];
  const list = useQuery({ queryKey, enabled: opened, staleTime: 0, gcTime: 0, queryFn: () => keptOf(owner) });
  const open = useMutation({
    mutationFn: kept,
    onError: notifyFailure,
    onSuccess: (conversation) => {
      if (conversation) onOpen(conversation);
      onClose();
    },
  });
  const remove = useMutation({
    mutationFn: (ids: readonly string[]) => {
      onForget(ids);
      return forget(ids);
    },
    onError: notifyFailure,
    onSettled: () => {
      setSure(false);
      return client.invalidateQueries({ queryKey });
    },
  });
  const all = list.data ?? [];
  return (
    <Drawer opened={opened} onClose={onClose} title="Conversations">
      <Stack gap="md">
        <Text size="sm" c="dimmed">
          They are kept in this browser only, the last {MAX_KEPT} of them.
        </Text>
        {list.isPending && <RowsLoading />}
        {list.isError && <ErrorState error={list.error} retry={() => void list.refetch()} />}
        {list.isSuccess && all.length === 0 && <EmptyState icon={IconHistory} title="None yet" />}
        <Stack gap={4} component="ul" m={0} p={0} className={classes.list}>
          {all.map(({ id, title, models, updatedAt }) => (
            <Group key={id} component="li" gap={4} wrap="nowrap" className={classes.row} data-shown={id === shown || undefined}>
              <UnstyledButton flex={1} miw={0} p="xs" onClick={() => (id === shown ? onClose() : open.mutate(id))}>
                <Text size="sm" fw={500} truncate>
                  {title}
                </Text>
                <Text size="xs" c="dimmed" truncate component="div">
                  <Time value={new Date(updatedAt).toISOString()} /> · {models.join(', ')}
                </Text>
              </UnstyledButton>
              <IconAction icon={IconTrash} label="Delete" name={`Delete ${title}`} onClick={() => remove.mutate([id])} />
            </Group>
          ))}
        </Stack>
        {all.length > 0 && (
          <Group gap="sm">
            <Button
              variant={sure ? 'filled' : 'default'}
              color={sure ? 'red' : undefined}
              leftSection={<IconTrash size={16} />}
              loading={remove.isPending}
              onClick={() => (sure ? remove.mutate(all.map(({ id }) => id)) : setSure(true))}
            >
              {sure ? `Delete ${all.length === 1 ? 'it' : `all ${all.length}`} for ever` : 'Delete all'}
            </Button>
            {sure && (
              <Button variant="subtle" color="gray" onClick={() => setSure(false)}>
                Keep them
              </Button>
            )}
          </Group>
        )}
      </Stack>
    </Drawer>
  );
}
