import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { Command } from 'commander';
import { startFlags } from '../process/v8-settings.js';

const main = new URL('../main.js', import.meta.url);

const help = `
The gateway reads switchyard.yaml and the environment in the folder where it starts. It takes the place of this process: signals reach it as they are.

Example of a folder that needs nothing else: switchyard.yaml, and a package.json with the gateway as a dependency and
  "scripts": { "start": "exec switchyard start" }`;

export function startCommand(): Command {
  return new Command('start')
    .description('start the gateway in this folder')
    .option('-c, --config <file>', 'read this file instead of switchyard.yaml')
    .addHelpText('after', help)
    .action(async ({ config }: { config?: string }) => {
      if (config !== undefined) process.env['SWITCHYARD_CONFIG'] = config;
      // Some systems cannot replace a process: there the gateway does without the flags.
      if (process.platform === 'win32') await import(main.href);
      else process.execve!(process.execPath, [process.execPath, ...process.execArgv, ...startFlags, fileURLToPath(main)], process.env);
    });
}
