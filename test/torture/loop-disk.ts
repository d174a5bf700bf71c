import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const SIZE = 192 * 1024 * 1024;
const MAX_COPIES = 20;

/** Seconds in which the file system writes nothing but what was synced. */
const COMMIT = 600;

/**
 * A file system in a file, which holds what a disk holds after a power cut: pages that were not synced are not in it.
 */
export class LoopDisk {
  readonly folder: string;
  readonly #image: string;

  private constructor(image: string) {
    this.#image = image;
    this.folder = `${image}.mounted`;
    mkdirSync(this.folder);
    run('mount', ['-o', `loop,noatime,commit=${COMMIT}`, image, this.folder]);
  }

  /** @throws Error where the machine does not allow it */
  static make(folder: string): LoopDisk {
    const image = join(folder, 'disk');
    writeFileSync(image, '');
    truncateSync(image, SIZE);
    run('mkfs.ext4', ['-q', '-E', 'lazy_itable_init=0,lazy_journal_init=0', image]);
    return new LoopDisk(image);
  }

  /** The disk as it would be if the power went out now. To be called while nobody writes. */
  afterPowerCut(): LoopDisk {
    const copy = `${this.#image}-after`;
    // The system may have written something of its own accord in the middle of a copy.
    for (let copies = 0; copies < MAX_COPIES; copies++) {
      const before = this.#written();
      run('cp', ['--sparse=always', this.#image, copy]);
      if (this.#written() === before) return new LoopDisk(copy);
    }
    throw new Error('the disk is never quiet');
  }

  remove(): void {
    run('umount', [this.folder]);
    rmSync(this.folder, { recursive: true });
    rmSync(this.#image);
  }

  /** The number of writes so far, and of requests that the disk is busy with. */
  #written(): string {
    const device = /^\/dev\/(\w+):/.exec(execFileSync('losetup', ['-j', this.#image], { encoding: 'utf8' }))![1]!;
    const fields = readFileSync(`/sys/block/${device}/stat`, 'utf8').trim().split(/\s+/);
    return `${fields[4]} ${fields[8]}`;
  }
}

function run(program: string, args: readonly string[]): void {
  execFileSync(program, args, { stdio: ['ignore', 'ignore', 'pipe'] });
}
