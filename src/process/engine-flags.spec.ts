import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

interface Fate {
  /** Compiled by the middle compiler at any time. */
  readonly maglevved: boolean;
  /** Calls until the optimizing compiler had it. */
  readonly turbofannedAt: number;
}

/** What V8 does with a function that is called often, in a process of its own. @param before what that process does first */
function fateOfHotFunction(before: string): Fate {
  const program = `
    ${before}
    const list = [{ n: 1 }, { n: 2 }, { n: 3 }];
    function hot() { let sum = 0; for (let i = 0; i < 3; i++) sum += list[i].n; return sum; }
    // Bits of V8's OptimizationStatus.
    const MAGLEVVED = 1 << 5, TURBOFANNED = 1 << 6;
    let maglevved = false, calls = 0, status = 0;
    while (!(status & TURBOFANNED) && calls++ < 100_000) {
      hot();
      status = %GetOptimizationStatus(hot);
      maglevved ||= (status & MAGLEVVED) !== 0;
    }
    console.log(JSON.stringify({ maglevved, turbofannedAt: calls }));`;
  const flags = ['--disable-warning=ExperimentalWarning', '--allow-natives-syntax', '--no-concurrent-recompilation'];
  return JSON.parse(execFileSync(process.execPath, [...flags, '--input-type=module', '-e', program], { encoding: 'utf8' })) as Fate;
}

/** What V8 says it will do about memory in a pause, after some work in a process of its own. @param before what that process does first */
function plansInPause(before: string): string {
  const program = `
    ${before}
    const work = () => Array.from({ length: 300_000 }, (_, n) => ({ n }));
    globalThis.kept = work();
    gc({ type: 'major', execution: 'sync' });
    globalThis.kept = work();
    await new Promise((resolve) => setTimeout(resolve, 500));`;
  const flags = [
    '--disable-warning=ExperimentalWarning',
    '--expose-gc',
    '--trace-memory-reducer',
    '--gc-memory-reducer-start-delay-ms=100',
  ];
  return execFileSync(process.execPath, [...flags, '--input-type=module', '-e', program], { encoding: 'utf8' });
}

const late = `(await import(${JSON.stringify(`file://${join(import.meta.dirname, 'engine-flags.ts')}`)})).setEngineFlags();`;

// The flag about allocation in the old generation is shown by what it is for, in the memory spec.
describe('setEngineFlags', () => {
  it('keeps the middle compiler away, in a process that runs already', () => {
    expect(fateOfHotFunction('').maglevved).toBe(true);
    expect(fateOfHotFunction(late).maglevved).toBe(false);
  });

  it('has hot functions optimized after a third of the calls', () => {
    const { turbofannedAt } = fateOfHotFunction(`(await import('node:v8')).setFlagsFromString('--no-maglev');`);
    expect(fateOfHotFunction(late).turbofannedAt).toBeLessThan(turbofannedAt / 2);
  });

  it('has nothing collected in a pause', () => {
    expect(plansInPause('')).toMatch(/waiting for \d+ ms/);
    expect(plansInPause(late)).not.toMatch(/waiting for \d+ ms/);
  });
});
