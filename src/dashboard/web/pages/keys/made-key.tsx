import { Alert, Button, Group, Modal, Stack, Text } from '@mantine/core';
import { IconEyeOff } from '@tabler/icons-react';
import { baseUrl } from '../../api/base-url';
import { SOME_MODEL, useChatModel } from '../../api/models';
import { useAccount } from '../../shell/account';
import type { MadeKey } from './keys.api';
import { ShownOnce } from '../../ui/shown-once';
import { snippetsFor } from '../../ui/snippets';
import { SnippetTabs } from '../../ui/snippet-tabs';

/** Shows a full key, which nobody can show again, and how clients use it. */
export default function MadeKeyDialog({ made, onClose }: { made: MadeKey | undefined; onClose: () => void }) {
  return (
    <Modal opened={made !== undefined} onClose={onClose} size="xl" title="Your new key" closeOnClickOutside={false} closeOnEscape={false}>
      {made && <MadeKeyContent made={made} onClose={onClose} />}
    </Modal>
  );
}

function MadeKeyContent({ made, onClose }: { made: MadeKey; onClose: () => void }) {
  const key = made.key ?? '';
  const model = useChatModel(useAccount().id, made.environment);
  const snippets = snippetsFor({ baseUrl: baseUrl(), key, model });
  return (
    <Stack>
      <Alert variant="light" color="yellow" icon={<IconEyeOff size={18} />} title="Copy it now">
        The key is shown this once. The gateway keeps a digest of it only, and nobody can show it again.
      </Alert>
      <ShownOnce text={key} label="Copy key" testId="made-key" />
      <SnippetTabs snippets={snippets} />
      <Group justify="space-between">
        <Text size="xs" c="dimmed">
          {model === SOME_MODEL ? 'Put the id of a model of the catalogue in the place of MODEL.' : 'It works as it is: paste it.'}
        </Text>
        <Button variant="default" onClick={onClose}>
          I have saved it
        </Button>
      </Group>
    </Stack>
  );
}
