import { type ChildProcess, fork } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

interface Surroundings {
  /** The folder in which it runs. */
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
}

interface Outcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface CommandLine<T = unknown> {
  /** Runs a command. @throws Error where it fails, with its exit code and what it has printed */
  (...args: readonly string[]): Promise<T>;
  readonly end: () => void;
}

const runner = fileURLToPath(new URL('command-runner.mjs', import.meta.url));

/**
 * The operator's command line, which answers what it prints. All commands run in one process beside the gateways, which
 * ends with this one: to start a process for each takes half a second of CPU.
 * @param program folder of the build
 */
export function switchyard(program: string, { cwd, env }: Surroundings): CommandLine<string> {
  const waiting = new Map<number, (outcome: Outcome) => void>();
  let count = 0;
  let running: ChildProcess | undefined;
  const start = (): ChildProcess => {
    const execArgv = ['--disable-warning=ExperimentalWarning'];
    const child = fork(runner, [join(program, 'cli')], { cwd, env, execArgv, stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
    child.on('message', ({ id, ...outcome }: Outcome & { id: number }) => waiting.get(id)?.(outcome));
    child.once('exit', (code) => {
      running = undefined;
      for (const end of waiting.values()) end({ code: code ?? -1, stdout: '', stderr: 'the command line has ended' });
    });
    child.unref();
    return child;
  };
  const command = async (...args: readonly string[]): Promise<string> => {
    const child = (running ??= start());
    const id = count++;
    child.channel!.ref();
    const outcome = await new Promise<Outcome>((ended) => {
      waiting.set(id, ended);
      child.send({ id, args });
    });
    waiting.delete(id);
    if (waiting.size === 0) child.channel?.unref();
    if (outcome.code !== 0) throw Object.assign(new Error(`switchyard ${args.join(' ')}: ${outcome.stderr}`), outcome);
    return outcome.stdout;
  };
  return Object.assign(command, { end: () => running?.disconnect() });
}

/**
 * The same, answered in JSON.
 * @param options.env what its environment has beside this process's
 */
export function commandLine(program: string, { cwd, env = {} }: { cwd: string; env?: NodeJS.ProcessEnv }): CommandLine {
  const command = switchyard(program, { cwd, env: { ...process.env, ...env } });
  return Object.assign(async (...args: readonly string[]) => JSON.parse(await command(...args, '--json')) as unknown, { end: command.end });
}
