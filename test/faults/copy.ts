import { type ChildProcess, spawn } from 'node:child_process';
import { constants, cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { stripVTControlCharacters } from 'node:util';
import type { Fault } from './faults.ts';

export const root = resolve(import.meta.dirname, '../..');

/** What is not copied. Packages are linked; what is kept in node_modules/.cache is the copy's own. */
const left = new Set(['.git', 'node_modules', 'dist', 'data', 'coverage']);

/** Milliseconds for a run of specs: many times as long as one takes that does not hang. */
const PATIENCE = 600_000;

/** As in continuous integration: a property tries the same values in each run. */
const SEED = '20261121';

/** What Jest writes of a run, as far as it is read. */
interface Results {
  readonly testResults: readonly {
    readonly name: string;
    readonly message: string;
    readonly assertionResults: readonly { readonly status: string; readonly failureMessages: readonly string[] }[];
  }[];
}

export interface SpecResult {
  readonly passed: boolean;
  /** Tests of which an assertion has failed. A spec file that cannot be loaded has none. */
  readonly failed: number;
  /** What went wrong. */
  readonly message: string;
}

/** A copy of the checkout as it stands, in which one fault at a time is planted. */
export class Copy {
  readonly #folder = mkdtempSync(join(tmpdir(), 'switchyard-faults-'));
  #running: ChildProcess | undefined;

  constructor() {
    for (const name of readdirSync(root))
      if (!left.has(name)) cpSync(join(root, name), join(this.#folder, name), { recursive: true, mode: constants.COPYFILE_FICLONE });
    const packages = join(this.#folder, 'node_modules');
    mkdirSync(packages);
    for (const name of readdirSync(join(root, 'node_modules')))
      if (name !== '.cache') symlinkSync(join(root, 'node_modules', name), join(packages, name));
  }

  /** Also ends what runs in it. */
  remove(): void {
    if (this.#running) end(this.#running);
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /** Runs the specs of a fault while it is there. */
  async try({ file, line, fault, command, specs, tests }: Fault): Promise<ReadonlyMap<string, SpecResult>> {
    const path = join(this.#folder, file);
    const source = readFileSync(path, 'utf8');
    const lines = source.split('\n');
    const number = lines.findIndex((one) => one.trim() === line);
    writeFileSync(path, lines.with(number, fault).join('\n'));
    try {
      return await this.run(command, specs, tests, ['--maxWorkers=1']);
    } finally {
      writeFileSync(path, source);
    }
  }

  /** @returns what has become of each spec that has run, by its path below the root */
  async run(
    command: Fault['command'],
    specs: readonly string[],
    tests = '',
    options: readonly string[] = [],
  ): Promise<ReadonlyMap<string, SpecResult>> {
    const outputFile = join(this.#folder, 'results.json');
    rmSync(outputFile, { force: true });
    const cache = join(this.#folder, 'node_modules/.cache/jest');
    const args = ['--runTestsByPath', ...specs, '--json', `--outputFile=${outputFile}`, `--cacheDirectory=${cache}`, ...options];
    if (tests !== '') args.push(`--testNamePattern=${tests}`);
    const env = { ...process.env, SWITCHYARD_TEST_SEED: SEED, ...(command === 'test:all' && { SWITCHYARD_NO_SKIP: '1' }) };
    const output = await this.#npm(['run', '-s', command, '--', ...args], env);
    try {
      const { testResults } = JSON.parse(readFileSync(outputFile, 'utf8')) as Results;
      return new Map(testResults.map((result) => [relative(this.#folder, result.name), outcomeOf(result)]));
    } catch {
      return new Map(specs.map((spec) => [spec, { passed: false, failed: 0, message: output }]));
    }
  }

  /** @returns what it prints on standard error */
  async #npm(args: readonly string[], env: NodeJS.ProcessEnv): Promise<string> {
    // In a group of its own, of which nothing is to stay.
    const child = spawn('npm', args, { cwd: this.#folder, env, detached: true, stdio: ['ignore', 'ignore', 'pipe'] });
    this.#running = child;
    const timer = setTimeout(() => end(child), PATIENCE);
    const printed = await text(child.stderr);
    clearTimeout(timer);
    this.#running = undefined;
    return printed;
  }
}

function end({ pid }: ChildProcess): void {
  try {
    process.kill(-pid!, 'SIGKILL');
  } catch {
    // It has ended by itself.
  }
}

function outcomeOf({ message, assertionResults }: Results['testResults'][number]): SpecResult {
  const having = (state: string) => assertionResults.filter(({ status }) => status === state);
  const failed = having('failed');
  return {
    passed: message === '' && failed.length === 0 && having('passed').length > 0,
    failed: failed.filter(({ failureMessages }) => failureMessages.some(isAssertion)).length,
    message,
  };
}

/** Of Jest, node:assert, supertest or `until`, also as the cause of what a property has found. */
function isAssertion(failure: string): boolean {
  return /(^|\s)expect\(|AssertionError|expected .+, got |not within \d+ ms: /m.test(stripVTControlCharacters(failure));
}
