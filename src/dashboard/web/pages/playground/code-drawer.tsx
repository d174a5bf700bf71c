import { Drawer, Group, Select, Stack, Switch, Text } from '@mantine/core';
import { useState } from 'react';
import { baseUrl } from '../../api/base-url';
import { useEnvironment } from '../../ui/preferences';
import { SnippetTabs } from '../../ui/snippet-tabs';
import { IMAGE_PLACE, snippetsOf } from './code-snippets';
import { bodyOf, type Conversation, type Turn } from './conversation';

/** Stands for the prompt while there is none. */
const example: Omit<Turn, 'mode'> = { id: 'example', text: 'Say hello.', images: [], answers: [] };

interface CodeDrawerProps {
  readonly opened: boolean;
  readonly onClose: () => void;
  readonly conversation: Conversation;
}

/** The last request as programs send it. */
export default function CodeDrawer({ opened, onClose, conversation }: CodeDrawerProps) {
  return (
    <Drawer opened={opened} onClose={onClose} size={680} title="As code">
      <Code conversation={conversation} />
    </Drawer>
  );
}

function Code({ conversation }: { conversation: Conversation }) {
  const { columns, turns } = conversation;
  const [environment] = useEnvironment();
  const [streamed, setStreamed] = useState(false);
  const [id, setId] = useState(columns[0]?.id);
  const column = columns.find((one) => one.id === id) ?? columns[0];
  if (!column) return null;
  const last = turns.at(-1) ?? { ...example, mode: conversation.mode };
  const turn = { ...last, answers: last.answers.filter((answer) => answer.column === column.id).slice(0, -1) };
  const body = bodyOf(conversation, column, turn);
  const snippets = snippetsOf(body, turn.mode, { baseUrl: baseUrl(), key: `YOUR_${environment.toUpperCase()}_KEY`, streamed });
  return (
    <Stack>
      <Text size="sm" c="dimmed">
        {turns.length === 0 ? 'A request with these settings' : 'The last request of the conversation'}, for any client of the OpenAI
        format. Put in a key of the {environment} environment.
      </Text>
      <Group justify="space-between">
        <Select
          aria-label="Model of the code"
          allowDeselect={false}
          data={columns.map((one) => ({ value: one.id, label: one.model }))}
          value={column.id}
          onChange={(value) => value && setId(value)}
        />
        <Switch label="Streamed" checked={streamed} onChange={(event) => setStreamed(event.currentTarget.checked)} />
      </Group>
      <SnippetTabs snippets={snippets} />
      {snippets.some(({ code }) => code.includes(IMAGE_PLACE)) && (
        <Text size="xs" c="dimmed">
          {IMAGE_PLACE} stands for an image that is too long to be shown here.
        </Text>
      )}
    </Stack>
  );
}
