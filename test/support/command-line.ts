import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

export type CommandLine = (...args: readonly string[]) => Promise<unknown>;

/**
 * The operator's command line, answered in JSON.
 * @param program folder of the build
 * @param options the folder that it runs in, and what its environment has beside this process's
 */
export function commandLine(program: string, { cwd, env = {} }: { cwd: string; env?: NodeJS.ProcessEnv }): CommandLine {
  return async (...args) => {
    const cli = ['--disable-warning=ExperimentalWarning', join(program, 'cli/main.js'), ...args, '--json'];
    const options = { cwd, env: { ...process.env, ...env }, maxBuffer: 64 * 1024 * 1024 };
    return JSON.parse((await promisify(execFile)(process.execPath, cli, options)).stdout) as unknown;
  };
}
