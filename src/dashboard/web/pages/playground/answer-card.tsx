import { Alert, Badge, Box, Card, Group, Loader, Text, UnstyledButton } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconAlertTriangle, IconBrain, IconPlayerStop, IconRefresh } from '@tabler/icons-react';
import { memo } from 'react';
import { CodeBlock } from '../../ui/code-block';
import { CopyIcon } from '../../ui/copy';
import { IconAction } from '../../ui/icon-action';
import { type Answer, isOpen, segmentsOf } from './answer';
import { Figures } from './figures';
import classes from './playground.module.css';
import { ToolCalls } from './tool-calls';

/** What can be done with an answer. */
export interface Actions {
  readonly stop: (id: string) => void;
  readonly retry: (id: string) => void;
  readonly giveResults: (id: string, results: Record<string, string>) => void;
}

interface AnswerCardProps extends Actions {
  readonly answer: Answer;
  /** Whether nothing has been said since. */
  readonly last: boolean;
}

/** What one model has answered, as far as it has come, and what it took. */
export const AnswerCard = memo(function AnswerCard({ answer, last, stop, retry, giveResults }: AnswerCardProps) {
  const { id, model, text, error, calls, requestId } = answer;
  const open = isOpen(answer);
  return (
    <Card padding={0} component="article" aria-label={`Answer of ${model}`} aria-busy={open}>
      <Group justify="space-between" gap="xs" wrap="nowrap" px={14} pt={8} mih={40}>
        <Text size="xs" fw={600} c="dimmed" truncate title={model}>
          {model}
        </Text>
        <Group gap={4} wrap="nowrap">
          <Ending answer={answer} />
          {open && <IconAction size="sm" label={`Stop ${model}`} icon={IconPlayerStop} onClick={() => stop(id)} />}
          {!open && last && <IconAction size="sm" label={`Ask ${model} again`} icon={IconRefresh} onClick={() => retry(id)} />}
          {text !== '' && !open && <CopyIcon text={text} label="Copy the answer" />}
        </Group>
      </Group>
      <Box className={classes.body} px={14} pb={12} pt={2}>
        <Thoughts answer={answer} />
        <Words answer={answer} />
        {calls.length > 0 && <ToolCalls answer={answer} onResults={last && !open ? (results) => giveResults(id, results) : undefined} />}
        {error !== undefined && (
          <Alert color="red" variant="light" role="alert" icon={<IconAlertTriangle size={18} />} p="sm" mt={text === '' ? 0 : 'sm'}>
            <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
              {error}
            </Text>
            {requestId !== undefined && (
              <Group gap={4} wrap="nowrap" mt={4}>
                <Text size="xs" ff="monospace" style={{ overflowWrap: 'anywhere' }}>
                  {requestId}
                </Text>
                <CopyIcon text={requestId} label="Copy the request id" />
              </Group>
            )}
          </Alert>
        )}
      </Box>
      <Figures answer={answer} />
    </Card>
  );
});

function Ending({ answer: { state, finish } }: { answer: Answer }) {
  if (state === 'stopped') return <Badge color="gray">Stopped</Badge>;
  if (state === 'failed') return <Badge color="red">Failed</Badge>;
  if (state === 'cut') return <Badge color="gray">Too long to be shown</Badge>;
  if (finish === 'length') return <Badge color="gray">Cut at its length</Badge>;
  if (finish === 'content_filter') return <Badge color="gray">Filtered</Badge>;
  return null;
}

function Words({ answer }: { answer: Answer }) {
  const { state, text, calls } = answer;
  if (state === 'waiting') return <Loader type="dots" size="sm" aria-hidden />;
  if (text === '') {
    if (state === 'streaming' || state === 'failed' || calls.length > 0) return null;
    return (
      <Text size="sm" c="dimmed">
        {state === 'stopped' ? 'Nothing had come yet.' : 'The answer is empty.'}
      </Text>
    );
  }
  const segments = segmentsOf(text);
  return segments.map(({ kind, text: part }, index) =>
    kind === 'code' ? (
      // Segments have no id, and nothing is ever put between them.
      // oxlint-disable-next-line react/no-array-index-key
      <Box key={index} my="xs">
        <CodeBlock code={part} />
      </Box>
    ) : (
      <div
        // oxlint-disable-next-line react/no-array-index-key
        key={index}
        className={`${classes.text} ${state === 'streaming' && index === segments.length - 1 ? classes.streaming : ''}`}
      >
        {part}
      </div>
    ),
  );
}

function Thoughts({ answer: { reasoning, state, text } }: { answer: Answer }) {
  const [shown, { toggle }] = useDisclosure(false);
  if (reasoning === '') return null;
  const thinking = state === 'streaming' && text === '';
  return (
    <Box mb="xs">
      <UnstyledButton onClick={toggle} aria-expanded={shown}>
        <Group gap={6}>
          <IconBrain size={15} aria-hidden />
          <Text size="xs" fw={500} c="dimmed">
            {thinking ? 'Thinking …' : shown ? 'Hide its thoughts' : 'Show its thoughts'}
          </Text>
        </Group>
      </UnstyledButton>
      {shown && <div className={`${classes.text} ${classes.thoughts}`}>{reasoning}</div>}
    </Box>
  );
}
