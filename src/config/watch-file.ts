import { readFileSync, unwatchFile, watch, watchFile as pollFile } from 'node:fs';
import { dirname } from 'node:path';

/** Milliseconds that a file must stay unchanged before it is read: editors and tools write in steps. */
const QUIET = 200;

/** The milliseconds between two looks where the system does not report changes. */
const POLL = 5_000;

/**
 * Calls `changed` when the file's text has changed, however that was done: written in place, replaced by another file,
 * or through a link that now leads elsewhere (as Kubernetes mounts it). A file that is empty or gone is about to be
 * written, and is ignored. Watching does not keep the process alive.
 * @param quiet milliseconds that the file must stay unchanged before
 * @returns a function that ends the watching
 */
export function watchFile(path: string, changed: () => void, quiet = QUIET): () => void {
  let known = read(path);
  let timer: NodeJS.Timeout | undefined;
  const look = (): void => {
    const text = read(path);
    if (text === known || !text) return;
    known = text;
    changed();
  };
  const soon = (): void => {
    clearTimeout(timer);
    timer = setTimeout(look, quiet).unref();
  };
  const poll = (): void => void pollFile(path, { interval: POLL, persistent: false }, soon);
  let stop = (): void => unwatchFile(path, soon);
  try {
    // The folder is watched, because a file that replaces another is not the one that was watched.
    const watcher = watch(dirname(path), { persistent: false }, soon);
    watcher.on('error', () => {
      watcher.close();
      stop = () => unwatchFile(path, soon);
      poll();
    });
    stop = () => watcher.close();
  } catch {
    poll();
  }
  return () => {
    clearTimeout(timer);
    stop();
  };
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
