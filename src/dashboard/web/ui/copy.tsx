import { Button, type ButtonProps } from '@mantine/core';
import { useTimeout } from '@mantine/hooks';
import { IconCheck, IconCopy } from '@tabler/icons-react';
import { useState } from 'react';
import { IconAction } from './icon-action';

/** Copies a text. Where the page was not loaded over HTTPS, browsers have no clipboard but this one. */
async function copy(text: string): Promise<void> {
  if (isSecureContext) return navigator.clipboard.writeText(text);
  const field = document.createElement('textarea');
  field.value = text;
  (document.activeElement?.closest('[role=dialog]') ?? document.body).append(field);
  field.select();
  document.execCommand('copy');
  field.remove();
}

function useCopied(text: string): [boolean, () => void] {
  const [copied, setCopied] = useState(false);
  const { start } = useTimeout(() => setCopied(false), 1_500);
  const run = async (): Promise<void> => {
    await copy(text);
    setCopied(true);
    start();
  };
  return [copied, () => void run()];
}

/** A small button that copies a text. */
export function CopyIcon({ text, label = 'Copy' }: { text: string; label?: string }) {
  const [copied, run] = useCopied(text);
  return (
    <IconAction
      icon={copied ? IconCheck : IconCopy}
      label={copied ? 'Copied' : label}
      color={copied ? 'signal' : 'gray'}
      size="sm"
      onClick={run}
    />
  );
}

/** A button that copies a text. */
export function CopyButton({ text, label, ...props }: { text: string; label: string } & ButtonProps) {
  const [copied, run] = useCopied(text);
  return (
    <Button leftSection={copied ? <IconCheck size={16} /> : <IconCopy size={16} />} onClick={run} {...props}>
      {copied ? 'Copied' : label}
    </Button>
  );
}
