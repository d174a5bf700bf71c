import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { Command } from 'commander';
import { programFolder } from '../config/version.js';
import { CommandError } from './command-error.js';
import { namesOf, newProviderInside, newProviderOutside } from './new-provider/new-provider.js';
import type { Output } from './output.js';
import { addStoredProviderCommands } from './stored-provider-commands.js';

const help = `
Without --dir the provider becomes part of this gateway: src/providers/<name>, in its lists of modules and of types. With --dir it is a folder of
its own, a package that the setting 'modules' of the configuration names. Either passes the contract suite as it is; change its address, models and fixtures to the
vendor's. src/providers/README.md says how.

Examples:
  switchyard providers new acme
  switchyard providers new acme-llm --dir ../our-modules`;

export function providersCommand(output: Output): Command {
  const providers = new Command('providers').description('the providers of the file and of the store, and those written as code');

  addStoredProviderCommands(providers, output);

  providers
    .command('new')
    .description('begin a provider: its folder, with a spec that passes')
    .argument('<name>', 'its type, for example acme: lower-case letters, digits and dashes')
    .option('-d, --dir <folder>', 'put the folder there, outside the gateway')
    .addHelpText('after', help)
    .action((name: string, { dir }: { dir?: string }) => {
      const names = namesOf(name);
      if (dir === undefined) {
        const folder = relative(process.cwd(), newProviderInside(names, programFolder));
        output.line`Made ${folder}. Try it: npm test -- ${folder}`;
      } else {
        const folder = newProviderOutside(names, resolve(dir), programFolder);
        output.line`Made ${folder}. Try it: cd ${folder} && npm install && npm test`;
        output.line`Use it: modules: ['${folder}/index.ts'] in switchyard.yaml\nShip it: npm pack`;
      }
    });

  providers
    .command('test')
    .description("run the specs of the provider's package in this folder, on the Node that the gateway needs")
    .argument('[arguments...]', 'for Jest')
    .allowUnknownOption()
    .action((args: string[]) => {
      const jest = join(process.cwd(), 'node_modules/jest/bin/jest.js');
      if (!existsSync(jest)) throw new CommandError(`there is no Jest in ${process.cwd()}: run npm install there first`);
      // As the gateway's own specs run.
      const flags = ['--disable-warning=ExperimentalWarning', '--experimental-vm-modules'];
      const { status } = spawnSync(process.execPath, [...flags, jest, ...args], { stdio: 'inherit' });
      if (status !== 0) throw new CommandError('the specs have failed');
    });

  return providers;
}
