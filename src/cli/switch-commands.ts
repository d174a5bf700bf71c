import { type Command, InvalidArgumentError } from 'commander';
import { DisableModelDto, EnableModelDto, switchView } from '../admin/models/model.dto.js';
import { MAX_MESSAGE_LENGTH } from '../catalogue/model-switch-store.js';
import { administering } from './administer.js';
import { body, type CommonOptions, shortTime } from './common-options.js';
import type { Output } from './output.js';
import { requireModel } from './require-model.js';

interface SwitchOptions extends CommonOptions {
  provider?: string;
  message?: string;
  force?: true;
}

/** Adds the commands that take a model out of service and put it back. */
export function addSwitchCommands(models: Command, output: Output): void {
  const administers = administering(output);
  const disable = models
    .command('disable')
    .argument('<id>', 'id of the model')
    .description('take a model out of service, within a second')
    .option('-p, --provider <id>', 'only the offer of this provider')
    .option('-m, --message <text>', 'the message that clients see', parseMessage)
    .option('--force', 'even where nobody offers it at present');
  administers(disable, async (admin, { config, provider, message, force }: SwitchOptions, id: string) => {
    if (!force) await requireModel(admin.database, config, { model: id, provider });
    await admin.switches.disable(id, body(DisableModelDto, { provider, message }), admin.by);
    return output.says({ model: id, provider: provider ?? null, active: false })`Switched off ${nameOf(id, provider)}.`;
  });

  const enable = models
    .command('enable')
    .argument('<id>', 'id of the model')
    .description('put a model back into service')
    .option('-p, --provider <id>', 'only the offer of this provider');
  administers(enable, async (admin, { provider }: SwitchOptions, id: string) => {
    const lifted = await admin.switches.enable(id, body(EnableModelDto, { provider }), admin.by);
    const answer = output.says({ model: id, provider: provider ?? null, lifted });
    const name = nameOf(id, provider);
    return lifted > 0 ? answer`Switched on ${name}.` : answer`${name} was not switched off.`;
  });

  administers(models.command('switches').description('list what is switched off'), async (admin) =>
    output.list((await admin.switches.list()).map(switchView), {
      model: 'model',
      provider: ({ provider }) => provider ?? 'all',
      'since (UTC)': ({ created_at }) => shortTime(created_at),
      message: 'message',
    }),
  );
}

function nameOf(id: string, provider: string | undefined): string {
  return provider ? `${id} at ${provider}` : id;
}

function parseMessage(text: string): string {
  if (text.trim() === '' || text.length > MAX_MESSAGE_LENGTH) throw new InvalidArgumentError(`Give 1 to ${MAX_MESSAGE_LENGTH} characters.`);
  return text.trim();
}
