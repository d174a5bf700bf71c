import { closeSync, existsSync, mkdirSync, openSync, readdirSync, readFileSync, renameSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { DeliveryBarrier } from '../../common/delivery-barrier.js';
import { FileLock } from '../../database/file-lock.js';
import { deliverFirst } from './deliver-first.js';
import { progressLine, readJournal } from './journal-record.js';
import type { Delivered, Ending } from '../hold/request-facts.js';

const SUFFIX = '.journal';

/** Bytes after which what is settled and written is left behind. */
const ROTATE_AT = 4 * 1024 * 1024;

/** What one turn of the event loop may leave waiting for the disk, in characters; beyond it new requests are refused. */
const MAX_PENDING = 16 * 1024 * 1024;

/** How far an open request has come, which is asked when its line is written, so that each turn has one line for a request. */
export interface OpenProgress {
  /** Its name in the journal. */
  readonly number: number;
  readonly delivered: Delivered;
  /** Nothing more is to be said of it. */
  readonly settled: boolean;
  /** The tick in which its line was asked for; undefined while none is. For the journal alone. */
  deferredAt: number | undefined;
}

/**
 * What this process would be asked after it had been killed: one line for each beginning, delivery and end of a request. Lines of one turn of the
 * event loop go to the file together at its end, those of deliveries after what was delivered; the system keeps them when the process dies, and
 * nobody waits for the disk.
 */
export class Journal {
  #pending = '';
  #scheduled = false;
  #closed = false;
  #size = 0;
  #fd: number;
  #error: Error | undefined;
  readonly #deferred: OpenProgress[] = [];
  #tick = 0;
  #counting = false;
  #rotateAt = ROTATE_AT;

  private constructor(
    private readonly file: string,
    private readonly lock: FileLock,
    private readonly barrier: DeliveryBarrier,
  ) {
    this.#fd = openSync(file, 'a', 0o600);
  }

  /** Begins the journal of a process. */
  static begin(folder: string, nodeId: string, barrier: DeliveryBarrier): Journal {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const file = join(folder, nodeId + SUFFIX);
    const lock = FileLock.take(lockOf(file));
    if (!lock) throw new Error(`the journal ${file} is in use`);
    return new Journal(file, lock, barrier);
  }

  /** Why lines cannot be written, if they cannot. */
  get error(): Error | undefined {
    return this.#error;
  }

  /** Long enough to be rotated. */
  get full(): boolean {
    return this.#size > this.#rotateAt;
  }

  write(line: string): void {
    if (this.#pending.length < MAX_PENDING) this.#pending += line;
    this.#schedule();
  }

  /** Before a line changes: what an earlier tick has left of it is written, so that a crash loses a request's last delivery and no more. */
  catchUp({ deferredAt }: OpenProgress): void {
    if (deferredAt !== undefined && deferredAt !== this.#tick) this.flush();
  }

  /** The line is made when it is written. */
  writeProgress(request: OpenProgress): void {
    if (request.deferredAt !== undefined) return;
    request.deferredAt = this.#tick;
    this.#deferred.push(request);
    this.#schedule();
    if (this.#counting) return;
    this.#counting = true;
    process.nextTick(this.#count);
  }

  flush(): void {
    deliverFirst(this.barrier);
    this.#writeDeferred();
    if (this.#pending === '') return;
    try {
      this.#size += writeWhole(this.#fd, this.#pending);
      this.#pending = '';
      this.#error = undefined;
    } catch (error) {
      this.#error = error as Error;
      // What was written in part must not garble what comes next.
      if (!this.#pending.startsWith('\n')) this.#pending = `\n${this.#pending}`;
    }
  }

  /** Replaces the journal, and whatever could not be written to it, by one that begins with these lines: all that the store does not know. */
  rotate(lines: Iterable<string>): void {
    deliverFirst(this.barrier);
    this.#writeDeferred();
    const draft = `${this.file}.draft`;
    try {
      const fd = openSync(draft, 'w', 0o600);
      this.#size = writeWhole(fd, Array.from(lines).join(''));
      renameSync(draft, this.file);
      closeSync(this.#fd);
      this.#fd = fd;
      this.#pending = '';
      this.#error = undefined;
      this.#rotateAt = Math.max(ROTATE_AT, 2 * this.#size);
    } catch (error) {
      this.#error = error as Error;
    }
  }

  /** @param finished everything in it is in the store: nobody needs to read it */
  close(finished: boolean): void {
    this.flush();
    this.#closed = true;
    closeSync(this.#fd);
    if (finished) remove(this.file);
    this.lock.release();
    if (finished) rmSync(lockOf(this.file), { force: true });
  }

  #writeDeferred(): void {
    for (const request of this.#deferred) {
      request.deferredAt = undefined;
      if (request.settled) continue;
      const { promptTokens, completionTokens } = request.delivered;
      this.#pending += progressLine(request.number, promptTokens, completionTokens);
    }
    this.#deferred.length = 0;
  }

  readonly #flush = (): void => {
    this.#scheduled = false;
    if (!this.#closed) this.flush();
  };

  readonly #count = (): void => {
    this.#counting = false;
    this.#tick++;
  };

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(this.#flush);
  }
}

/** The journal that a dead process has left; held until it is finished with. */
export interface AbandonedJournal {
  readonly nodeId: string;
  readonly endings: readonly Ending[];
  /** What it says is in the store. */
  readonly finish: () => void;
}

/** The journals in a folder whose processes are gone. */
export function* abandonedJournals(folder: string): Generator<AbandonedJournal> {
  if (!existsSync(folder)) return;
  for (const name of readdirSync(folder)) {
    if (!name.endsWith(SUFFIX)) continue;
    const file = join(folder, name);
    const lock = FileLock.take(lockOf(file));
    if (!lock) continue;
    try {
      // Between listing and locking, another process may have finished it.
      if (!existsSync(file)) continue;
      const endings = readJournal(readFileSync(file, 'utf8'), Date.now());
      yield { nodeId: name.slice(0, -SUFFIX.length), endings, finish: () => remove(file) };
    } finally {
      lock.release();
      if (!existsSync(file)) rmSync(lockOf(file), { force: true });
    }
  }
}

function lockOf(file: string): string {
  return `${file}.lock`;
}

function remove(file: string): void {
  rmSync(file, { force: true });
  rmSync(`${file}.draft`, { force: true });
}

function writeWhole(fd: number, text: string): number {
  const bytes = Buffer.from(text);
  for (let written = 0; written < bytes.length;) written += writeSync(fd, bytes, written);
  return bytes.length;
}
