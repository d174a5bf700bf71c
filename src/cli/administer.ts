import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type Command, InvalidArgumentError } from 'commander';
import type { Config } from '../config/config.schema.js';
import { openAhead } from '../database/open-database.js';
import type { Administration } from './administration.js';
import { CommandError } from './command-error.js';
import { type CommonOptions, withCommonOptions } from './common-options.js';
import type { Answer, Output } from './output.js';
import { readConfig } from './read-config.js';

type Work<Options, Args extends unknown[]> = (admin: Administration, options: Options, ...args: Args) => Promise<Answer>;

/**
 * @returns a function that has a command do its work by the administration's services, and writes what it answers. The
 * work gets the options and the arguments of the command, which it may find wrong together (InvalidArgumentError).
 */
export const administering =
  (output: Output) =>
  <Options extends object, Args extends unknown[]>(command: Command, work: Work<Options, Args>, create = false): void => {
    withCommonOptions(command).action(async () => {
      const { json, ...options } = command.opts<CommonOptions>();
      const { parent } = command;
      const action = parent?.parent ? `${parent.name()} ${command.name()}` : command.name();
      const run = (admin: Administration) => work(admin, options as Options, ...(command.processedArgs as Args));
      const answer = await administer(options, action, run, create).catch((error: unknown) => {
        throw error instanceof InvalidArgumentError ? command.error(`error: ${error.message}`) : error;
      });
      output.answer(answer, json);
    });
  };

/**
 * Opens the administration's services for one command, and closes them whatever happens.
 * @param options config: instead of SWITCHYARD_CONFIG or switchyard.yaml
 * @param action the command, as the audit log names it
 * @param create true for the one command that may begin a new store: for any other a wrong folder would look like an
 * empty store
 */
export async function administer<T>(
  options: CommonOptions,
  action: string,
  work: (admin: Administration) => Promise<T>,
  create = false,
): Promise<T> {
  const config = readConfig(options.config);
  if (!create) requireStore(config);
  openAhead(config.store);
  // Loaded while SQLite's thread starts.
  const { openAdministration } = await import('./administration.js');
  const admin = await openAdministration(config, action);
  try {
    return await work(admin);
  } finally {
    await admin.close();
  }
}

function requireStore({ store }: Config): void {
  if (store.database_url || existsSync(join(store.data_dir, 'switchyard.db'))) return;
  throw new CommandError(`there is no store in ${resolve(store.data_dir)}: start the gateway, or create an account`);
}
