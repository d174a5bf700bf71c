import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { watchFile } from './watch-file.js';

/** Milliseconds. */
const QUIET = 20;

describe('watchFile', () => {
  let folder: string;
  let file: string;
  let stop: () => void;
  let changed: () => void;
  let calls: number;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'switchyard-watch-'));
    file = join(folder, 'a.yaml');
    writeFileSync(file, 'one');
    calls = 0;
  });
  afterEach(() => {
    stop();
    rmSync(folder, { recursive: true });
  });

  const start = (path = file) => {
    const tell = () => {
      calls++;
      changed();
    };
    stop = watchFile(path, tell, QUIET);
  };
  const after = (act: () => void) =>
    new Promise<void>((resolve) => {
      changed = resolve;
      act();
    });

  it('tells of a file that is written in place, once for all of its steps', async () => {
    start();
    await after(() => {
      writeFileSync(file, '');
      writeFileSync(file, 'tw');
      writeFileSync(file, 'two');
    });
    expect(calls).toBe(1);
  });

  it('tells of a file that takes the place of the other, again and again', async () => {
    start();
    for (const text of ['two', 'three']) {
      await after(() => {
        writeFileSync(`${file}.new`, text);
        renameSync(`${file}.new`, file);
      });
    }
    expect(calls).toBe(2);
  });

  it('tells of a file that was not there', async () => {
    rmSync(file);
    start();
    await after(() => writeFileSync(file, 'one'));
  });

  it('tells of a link that leads elsewhere', async () => {
    for (const version of ['v1', 'v2']) {
      mkdirSync(join(folder, version));
      writeFileSync(join(folder, version, 'a.yaml'), version);
    }
    symlinkSync('v1', join(folder, '..data'));
    rmSync(file);
    symlinkSync('..data/a.yaml', file);
    start();
    await after(() => {
      symlinkSync('v2', join(folder, '..tmp'));
      renameSync(join(folder, '..tmp'), join(folder, '..data'));
    });
    expect(calls).toBe(1);
  });

  it('tells nothing of other files, of the same text, or of a file that is gone or empty', async () => {
    start();
    writeFileSync(join(folder, 'b.yaml'), 'other');
    writeFileSync(file, 'one');
    rmSync(file);
    writeFileSync(file, '');
    await after(() => setTimeout(() => writeFileSync(file, 'two'), 3 * QUIET));
    expect(calls).toBe(1);
  });

  it('tells nothing after its end', async () => {
    start();
    stop();
    writeFileSync(file, 'two');
    start();
    await after(() => writeFileSync(file, 'three'));
    expect(calls).toBe(1);
  });
});
