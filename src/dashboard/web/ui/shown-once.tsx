import { Group, Text } from '@mantine/core';
import { CopyButton } from './copy';
import classes from './shown-once.module.css';

interface ShownOnceProps {
  text: string;
  /** Of the button that copies it. */
  label: string;
  testId?: string;
}

/** A secret or a link that nobody can show again, with a button that copies it. */
export function ShownOnce({ text, label, testId }: ShownOnceProps) {
  return (
    <Group gap="sm" justify="flex-end" className={classes.frame}>
      <Text ff="monospace" size="sm" flex="1 1 260px" className={classes.text} data-testid={testId}>
        {text}
      </Text>
      <CopyButton text={text} label={label} data-autofocus />
    </Group>
  );
}
