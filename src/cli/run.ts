import { CommanderError } from 'commander';
import { messageOf } from '../common/message-of.js';
import { Output } from './output.js';
import { createProgram } from './program.js';

const FAILED = 1;
const MISUSED = 2;

/**
 * Runs one command.
 * @returns the exit code: 0 when it is done, 1 when it failed, 2 when it was not understood
 */
export async function run(args: readonly string[], output = new Output(process.stdout, process.stderr)): Promise<number> {
  try {
    await createProgram(output).parseAsync(args, { from: 'user' });
    return 0;
  } catch (error) {
    // The library has printed the message and the usage that belongs to it.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : MISUSED;
    output.error(messageOf(error));
    return FAILED;
  }
}
