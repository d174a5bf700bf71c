import { ActionIcon, Button, FileButton, Group, Text, Textarea } from '@mantine/core';
import { IconArrowUp, IconPhoto, IconPlayerStopFilled, IconX } from '@tabler/icons-react';
import { type ClipboardEvent, type KeyboardEvent, memo, useRef, useState } from 'react';
import { IconAction } from '../../ui/icon-action';
import type { Image, Mode } from './conversation';
import { imagesOf, imageTypes, MAX_IMAGES } from './images';
import classes from './playground.module.css';

/** Characters of one prompt at most. */
const MAX_PROMPT = 500_000;

interface ComposerProps {
  readonly mode: Mode;
  readonly first: string;
  readonly running: boolean;
  /** Why nothing can be sent now. */
  readonly problem?: string;
  /** What is to be known before images are sent. */
  readonly aboutImages?: string;
  readonly onSend: (text: string, images: readonly Image[]) => void;
  readonly onStop: () => void;
}

/** Where a prompt is written and sent, and answers are stopped. */
export const Composer = memo(function Composer({ mode, first, running, problem, aboutImages, onSend, onStop }: ComposerProps) {
  const [text, setText] = useState(first);
  const [images, setImages] = useState<readonly Image[]>([]);
  const [refused, setRefused] = useState<string>();
  const forgetFiles = useRef<() => void>(null);
  const empty = text.trim() === '' && images.length === 0;
  const add = async (files: readonly File[]) => {
    if (files.length === 0) return;
    const read = await imagesOf(files, MAX_IMAGES - images.length);
    setImages([...images, ...read.images]);
    setRefused(read.problem);
    forgetFiles.current?.();
  };
  const send = () => {
    if (running || empty || problem !== undefined) return;
    onSend(text, mode === 'chat' ? images : []);
    setText('');
    setImages([]);
    setRefused(undefined);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Escape' && running) onStop();
    // On a phone there is no other key for a new line.
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing || matchMedia('(pointer: coarse)').matches) return;
    event.preventDefault();
    send();
  };
  const onPaste = ({ clipboardData }: ClipboardEvent) => {
    if (mode === 'chat') void add([...clipboardData.files]);
  };
  const note = problem ?? refused ?? (images.length > 0 && mode === 'chat' ? aboutImages : undefined);
  return (
    <section className={classes.composer} aria-label="Prompt">
      <div className={classes.field}>
        {mode === 'chat' && images.length > 0 && (
          <Group gap="sm" p={6}>
            {images.map(({ id, name, url }) => (
              <div key={id} className={classes.thumbs}>
                <img className={classes.thumb} src={url} alt={name} />
                <ActionIcon
                  className={classes.remove}
                  size="xs"
                  radius="xl"
                  variant="default"
                  aria-label={`Take ${name} away`}
                  onClick={() => setImages(images.filter((image) => image.id !== id))}
                >
                  <IconX size={12} />
                </ActionIcon>
              </div>
            ))}
          </Group>
        )}
        <Textarea
          variant="unstyled"
          aria-label={mode === 'chat' ? 'Message' : 'Text to go on with'}
          placeholder={mode === 'chat' ? 'Ask something' : 'Write the beginning of a text'}
          autosize
          minRows={mode === 'chat' ? 1 : 3}
          maxRows={10}
          maxLength={MAX_PROMPT}
          px={8}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
          onKeyDown={onKeyDown}
          onPaste={onPaste}
          autoFocus={first !== ''}
        />
        <Group justify="space-between" gap="sm" wrap="nowrap" pl={2}>
          <Group gap="xs" wrap="nowrap" miw={0}>
            {mode === 'chat' && (
              <FileButton
                multiple
                resetRef={forgetFiles}
                accept={imageTypes.join(',')}
                onChange={(files) => void add(files)}
                inputProps={{ 'aria-label': 'Images' }}
              >
                {({ onClick }) => <IconAction icon={IconPhoto} label="Add images" size="lg" onClick={onClick} />}
              </FileButton>
            )}
            {note === undefined ? (
              <Text size="xs" c="dimmed" visibleFrom="sm">
                Enter sends, Shift and Enter begin a line
              </Text>
            ) : (
              <Text size="xs" c={problem === undefined && refused === undefined ? 'dimmed' : 'red'} role="status">
                {note}
              </Text>
            )}
          </Group>
          {running ? (
            <Button w={104} variant="default" leftSection={<IconPlayerStopFilled size={16} />} onClick={onStop}>
              Stop
            </Button>
          ) : (
            <Button w={104} leftSection={<IconArrowUp size={16} />} disabled={empty || problem !== undefined} onClick={send}>
              Send
            </Button>
          )}
        </Group>
      </div>
    </section>
  );
});
