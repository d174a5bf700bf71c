import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const requirements = join(import.meta.dirname, 'requirements.txt');
const cache = resolve(import.meta.dirname, '../../node_modules/.cache');

/**
 * Installs schemathesis into an environment of its own, which is kept until its requirements change.
 * @returns the program, or why there is none
 */
export async function findSchemathesis(): Promise<{ readonly program: string } | { readonly missing: string }> {
  const version = createHash('sha256').update(readFileSync(requirements)).digest('hex').slice(0, 16);
  const folder = join(cache, `switchyard-fuzz-${version}`);
  const program = join(folder, 'bin/schemathesis');
  if (existsSync(program)) return { program };
  try {
    await run('python3', ['-m', 'venv', folder]);
  } catch (error) {
    return { missing: `python3 with its module venv is needed (Debian: python3-venv): ${(error as Error).message.split('\n')[0]}` };
  }
  try {
    const pip = ['-m', 'pip', 'install', '--quiet', '--no-deps', '--disable-pip-version-check', '--requirement', requirements];
    await run(join(folder, 'bin/python'), pip);
    return { program };
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    return { missing: `schemathesis cannot be installed: ${(error as { stderr?: string }).stderr ?? (error as Error).message}` };
  }
}
