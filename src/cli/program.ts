import { Command } from 'commander';
import { version } from '../config/version.js';
import { accountsCommand } from './accounts.command.js';
import { configCommand } from './config.command.js';
import { creditsCommand } from './credits.command.js';
import { keysCommand } from './keys.command.js';
import { ledgerCommand } from './ledger.command.js';
import { modelsCommand } from './models.command.js';
import type { Output } from './output.js';
import { peopleCommand } from './people.command.js';
import { projectsCommand } from './projects.command.js';
import { providersCommand } from './providers.command.js';
import { requestsCommand } from './requests.command.js';
import { startCommand } from './start.command.js';
import { tokensCommand } from './tokens.command.js';
import { usageCommand } from './usage.command.js';
import { webhooksCommand } from './webhooks.command.js';

const examples = `
Examples:
  switchyard start
  switchyard accounts create "Acme Research"
  switchyard credits grant --account "Acme Research" 25.50
  switchyard keys create --account "Acme Research" --env live --label "ci" --expires 90d
  switchyard keys create --account "Acme Research" --env live --allow-model "gpt-*" --rpm 60 --budget day=1.5
  switchyard usage --by day,model --since 2026-11-01
  switchyard requests show 01931f0e-5a7c-7d2e-9d0f-2f1f6b0c9a11
  switchyard ledger verify
  switchyard people invite ada@example.com --account "Acme Research" --role owner
  switchyard webhooks create https://example.com/hook --events key.revoked,provider.down
  switchyard config check
  switchyard providers new acme

Commands read switchyard.yaml and the environment as the gateway does, and work while it runs: what they change is in force within a second.
Exit codes: 0 done, 1 failed, 2 not understood.`;

export function createProgram(output: Output): Command {
  const program = new Command('switchyard')
    .description('Starts a Switchyard gateway, and looks after its accounts, keys and credits.')
    .version(version(), '-V, --version', 'show the version')
    .helpOption('-h, --help', 'show this help')
    .helpCommand('help [command]', 'show the help of a command')
    .addHelpText('after', examples)
    .showHelpAfterError('(see switchyard --help)')
    .configureOutput({ writeOut: (text) => output.usage(text, false), writeErr: (text) => output.usage(text, true) })
    .exitOverride();
  for (const noun of [
    startCommand,
    accountsCommand,
    projectsCommand,
    keysCommand,
    tokensCommand,
    peopleCommand,
    creditsCommand,
    usageCommand,
    requestsCommand,
    modelsCommand,
    ledgerCommand,
    webhooksCommand,
    providersCommand,
    configCommand,
  ])
    program.addCommand(inherit(noun(output), program));
  return program;
}

/** Commands that were built separately inherit the settings for errors and output, and so do their own commands. */
function inherit(command: Command, parent: Command, above = parent.name()): Command {
  const name = `${above} ${command.name()}`;
  command.copyInheritedSettings(parent).showHelpAfterError(`(see ${name} --help)`);
  for (const child of command.commands) inherit(child, command, name);
  return command;
}
