import { Notification } from '@mantine/core';
import { type ReactNode, useSyncExternalStore } from 'react';
import classes from './notify.module.css';

interface Notice {
  readonly title?: string;
  readonly message: ReactNode;
  readonly color?: string;
  readonly withCloseButton?: false;
}

let shown: ReadonlyMap<string, Notice> = new Map();
let made = 0;
const looking = new Set<() => void>();

/** Shows a notice, or changes the one with its id; absent: it goes. */
export function notice(id: string, content?: Notice): void {
  const next = new Map(shown);
  if (content) next.set(id, content);
  else next.delete(id);
  shown = next;
  for (const look of looking) look();
}

function announce(content: Notice, milliseconds: number): void {
  const id = String(++made);
  notice(id, content);
  setTimeout(() => notice(id), milliseconds);
}

/** Says that something was done. */
export const notifyDone = (message: string): void => announce({ message }, 4_000);

/** Says what went wrong. */
export const notifyFailure = (error: Error): void => announce({ title: 'This did not work', message: error.message, color: 'red' }, 10_000);

function subscribe(look: () => void): () => void {
  looking.add(look);
  return () => looking.delete(look);
}

/** What is said of what was done, above every page. */
export function Notices() {
  const notices = useSyncExternalStore(subscribe, () => shown);
  return (
    <div className={classes.notices}>
      {[...notices].map(([id, { message, ...rest }]) => (
        <Notification key={id} withBorder className={classes.notice} onClose={() => notice(id)} {...rest}>
          {message}
        </Notification>
      ))}
    </div>
  );
}
