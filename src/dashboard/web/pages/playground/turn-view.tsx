import { Group, Stack, Text } from '@mantine/core';
import { memo } from 'react';
import { type Actions, AnswerCard } from './answer-card';
import type { Turn } from './conversation';
import classes from './playground.module.css';

/** A prompt, and side by side what the models answered. */
export const TurnView = memo(function TurnView({ turn, last, ...actions }: { turn: Turn; last: boolean } & Actions) {
  const { text, images, answers, mode } = turn;
  const columns = [...new Set(answers.map(({ column }) => column))];
  return (
    <Stack gap="sm">
      <div className={classes.prompt}>
        <Text size="xs" fw={600} c="var(--entry)" mb={2}>
          {mode === 'chat' ? 'You' : 'Beginning'}
        </Text>
        {text !== '' && <div className={classes.text}>{text}</div>}
        {images.length > 0 && (
          <Group gap="xs" mt={6}>
            {images.map(({ id, name, url }) => (
              <img key={id} className={classes.thumb} src={url} alt={name} />
            ))}
          </Group>
        )}
      </div>
      <div className={classes.answers}>
        {columns.map((column) => {
          const own = answers.filter((answer) => answer.column === column);
          return (
            <div key={column} className={classes.column}>
              {own.map((answer, index) => (
                <AnswerCard key={answer.id} answer={answer} last={last && index === own.length - 1} {...actions} />
              ))}
            </div>
          );
        })}
      </div>
    </Stack>
  );
});
