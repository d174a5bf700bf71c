import { Badge, Button, Group, Stack, Text, Textarea } from '@mantine/core';
import { IconTool } from '@tabler/icons-react';
import { useState } from 'react';
import { CodeBlock } from '../../ui/code-block';
import type { Answer } from './answer';
import classes from './playground.module.css';

interface ToolCallsProps {
  readonly answer: Answer;
  /** Absent: no results can be given any more. */
  readonly onResults?: (results: Record<string, string>) => void;
}

/** The functions that a model has called, and what they have returned. */
export function ToolCalls({ answer: { calls, results }, onResults }: ToolCallsProps) {
  const [typed, setTyped] = useState<Record<string, string>>({});
  const asked = onResults !== undefined && results === undefined;
  return (
    <Stack gap="sm" mt="xs">
      {calls.map((call, index) => (
        // The id of a call comes after the call has begun.
        // oxlint-disable-next-line react/no-array-index-key
        <Stack key={index} gap={6}>
          <Group gap={6}>
            <IconTool size={15} aria-hidden />
            <Badge color="gray" variant="light" tt="none" ff="monospace" maw="100%">
              {call.name || '…'}
            </Badge>
          </Group>
          <CodeBlock code={pretty(call.arguments)} label="Copy the arguments" maxHeight={220} />
          {asked && (
            <Textarea
              className={classes.typed}
              label={`Result of ${call.name}`}
              autosize
              minRows={1}
              maxRows={8}
              maxLength={100_000}
              placeholder='{"temperature": 21}'
              value={typed[call.id] ?? ''}
              onChange={({ currentTarget: { value } }) => setTyped({ ...typed, [call.id]: value })}
            />
          )}
          {results?.[call.id] && (
            <div>
              <Text size="xs" c="dimmed">
                Result
              </Text>
              <div className={`${classes.text} ${classes.thoughts}`}>{results[call.id]}</div>
            </div>
          )}
        </Stack>
      ))}
      {asked && (
        <Group>
          <Button size="xs" variant="default" onClick={() => onResults(typed)}>
            {calls.length === 1 ? 'Send the result' : 'Send the results'}
          </Button>
        </Group>
      )}
    </Stack>
  );
}

function pretty(json: string): string {
  try {
    return JSON.stringify(JSON.parse(json), null, 2);
  } catch {
    return json;
  }
}
