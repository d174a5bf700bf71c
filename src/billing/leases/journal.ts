import { closeSync, mkdirSync, openSync, renameSync, writeSync } from 'node:fs';
import type { DeliveryBarrier } from '../../common/delivery-barrier.js';
import type { FileLock } from '../../database/file-lock.js';
import type { Delivered } from '../hold/request-facts.js';
import { deliverFirst } from './deliver-first.js';
import { JournalFile } from './journal-file.js';
import { progressLine } from './journal-record.js';

/** Bytes of a journal after which it is replaced by one without what the store knows. */
const ROTATE_AT = 4 * 1024 * 1024;

/** Characters that may wait for a disk that does not take them; meanwhile new requests are refused. */
const MAX_PENDING = 16 * 1024 * 1024;

/**
 * How far an open request has come. It is read when its line is written, so that each turn of the event loop has one
 * line for a request.
 */
interface OpenProgress {
  /** The request's name in the journal. */
  readonly number: number;
  readonly delivered: Delivered;
  /** Its end is in the journal: progress says nothing any more. */
  readonly settled: boolean;
  /** The tick in which its line was asked for; undefined while none is. For the journal alone. */
  deferredAt: number | undefined;
}

/**
 * Tells the next process what this one would have to say after it was killed: one line for each beginning, delivery and
 * end of a request. The lines of one turn of the event loop are written together at its end, after what was delivered
 * in it was handed to the clients' sockets. The operating system keeps them when the process dies; nobody waits for the
 * disk.
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
    private readonly file: JournalFile,
    private readonly lock: FileLock,
    private readonly barrier: DeliveryBarrier,
  ) {
    this.#fd = openSync(file.path, 'a', 0o600);
  }

  /** @throws Error where another process writes a journal of that name */
  static begin(folder: string, nodeId: string, barrier: DeliveryBarrier): Journal {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const file = new JournalFile(folder, nodeId);
    const lock = file.lock();
    if (!lock) throw new Error(`the journal ${file.path} is in use`);
    return new Journal(file, lock, barrier);
  }

  /** Why the last lines could not be written, if they could not. */
  get error(): Error | undefined {
    return this.#error;
  }

  /** It should be rotated. */
  get full(): boolean {
    return this.#size > this.#rotateAt;
  }

  write(line: string): void {
    if (this.#pending.length < MAX_PENDING) this.#pending += line;
    this.#schedule();
  }

  /**
   * To be called before a request's progress changes. What an earlier tick has left to be written is written now, so
   * that a crash loses the last delivery of a request and no more.
   */
  catchUp({ deferredAt }: OpenProgress): void {
    if (deferredAt !== undefined && deferredAt !== this.#tick) this.flush();
  }

  /** Writes a line of progress at the end of the turn, with what is delivered then. */
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
      // A line that was written in part must not garble the next one.
      if (!this.#pending.startsWith('\n')) this.#pending = `\n${this.#pending}`;
    }
  }

  /**
   * Replaces the journal, and whatever could not be written to it.
   * @param lines all that the store does not know
   */
  rotate(lines: Iterable<string>): void {
    deliverFirst(this.barrier);
    this.#writeDeferred();
    try {
      const fd = openSync(this.file.draft, 'w', 0o600);
      this.#size = writeWhole(fd, Array.from(lines).join(''));
      renameSync(this.file.draft, this.file.path);
      closeSync(this.#fd);
      this.#fd = fd;
      this.#pending = '';
      this.#error = undefined;
      this.#rotateAt = Math.max(ROTATE_AT, 2 * this.#size);
    } catch (error) {
      this.#error = error as Error;
    }
  }

  /** @param finished the store knows everything that is in it, so that nobody needs to read it */
  close(finished: boolean): void {
    this.flush();
    this.#closed = true;
    closeSync(this.#fd);
    if (finished) this.file.remove();
    this.lock.release();
    if (finished) this.file.removeLock();
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

/** Most turns write less: their lines are encoded here. */
const scratch = Buffer.allocUnsafeSlow(64 * 1024);

/** @returns how many bytes */
function writeWhole(fd: number, text: string): number {
  // A character is three bytes at most.
  const bytes = text.length * 3 <= scratch.length ? scratch : Buffer.from(text);
  const length = bytes === scratch ? scratch.write(text) : bytes.length;
  for (let written = 0; written < length;) written += writeSync(fd, bytes, written, length - written);
  return length;
}
