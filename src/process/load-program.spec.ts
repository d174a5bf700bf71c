import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { loadProgram } from './load-program.js';

const wrapped = (body: string): string =>
  `(function (exports, require, module, __filename, __dirname, moduleUrl, Import) { 'use strict'; ${body}\n})`;

describe('loadProgram', () => {
  let folder: string;
  let cache: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'switchyard-program-'));
    cache = join(folder, 'cache');
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const load = <T extends object>(body: string, name = 'program.js') => {
    const path = join(folder, name);
    writeFileSync(path, wrapped(body));
    return loadProgram<T>(pathToFileURL(path), cache);
  };
  const twice = 'exports.twice = (n) => 2 * n; exports.again = () => exports.twice(21);';
  const kept = (): string[] => readdirSync(cache).map((name) => join(cache, name));

  it('gives the script what a CommonJS module has, and its address', () => {
    const body = 'module.exports = { __filename, __dirname, moduleUrl, join: require("node:path").join };';
    const path = join(folder, 'program.js');
    const expected = { __filename: path, __dirname: folder, moduleUrl: pathToFileURL(path).href, join };
    expect(load(body).exports).toEqual(expected);
  });

  it('keeps the code of what has run, once', () => {
    const first = load<{ again(): number }>(twice);
    expect(first.exports.again()).toBe(42);
    first.keepCode();
    const [file, ...others] = kept();
    expect(others).toEqual([]);
    const { ino } = statSync(file!);

    const second = load<{ again(): number }>(twice);
    expect(second.exports.again()).toBe(42);
    second.keepCode();
    expect(kept()).toEqual([file]);
    expect(statSync(file!).ino).toBe(ino);
  });

  it('takes no code that is damaged or cut, and keeps whole code in its place', () => {
    load(twice).keepCode();
    const [file] = kept();
    const whole = readFileSync(file!);
    const damaged = Buffer.from(whole);
    damaged[damaged.length >> 1]! ^= 0x55;
    for (const bytes of [damaged, whole.subarray(0, -100), Buffer.alloc(2), Buffer.alloc(whole.length)]) {
      writeFileSync(file!, bytes);
      const program = load<{ again(): number }>(twice);
      expect(program.exports.again()).toBe(42);
      program.keepCode();
      expect(readFileSync(file!)).not.toEqual(bytes);
    }
  });

  it('runs without a place to keep code', () => {
    writeFileSync(cache, 'no folder');
    const program = load<{ again(): number }>(twice);
    program.keepCode();
    expect(program.exports.again()).toBe(42);
  });
});
