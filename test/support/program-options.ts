import { parseArgs, type ParseArgsOptionsConfig } from 'node:util';

/** The options of a program; `--help` prints what it says of itself, and ends it. */
export function programOptions<const Options extends ParseArgsOptionsConfig>(help: string, options: Options) {
  const { values } = parseArgs({ options: { ...options, help: { type: 'boolean' } } });
  if ((values as { help?: boolean }).help) {
    process.stdout.write(help);
    process.exit();
  }
  return values;
}

/** Prints each check with its figure. @returns whether all were met */
export function printChecks(checks: readonly (readonly [what: string, ok: boolean, figure: string])[]): boolean {
  for (const [what, ok, figure] of checks) process.stdout.write(`${ok ? '✓' : '✗'} ${what}${figure && ': '}${figure}\n`);
  return checks.every(([, ok]) => ok);
}
