import { type Command, InvalidArgumentError } from 'commander';
import { MAX_MESSAGE_LENGTH, ModelSwitchStore } from '../catalogue/model-switch-store.js';
import { administer } from './administer.js';
import { type CommonOptions, isoTime, shortTime, withCommonOptions } from './common-options.js';
import type { Output } from './output.js';
import { requireModel } from './require-model.js';

interface SwitchOptions extends CommonOptions {
  provider?: string;
  message?: string;
  force?: true;
}

/** Adds the commands that take a model out of service and put it back. */
export function addSwitchCommands(models: Command, output: Output): void {
  withCommonOptions(
    models.command('disable').argument('<id>', 'id of the model').description('take a model out of service, within a second'),
  )
    .option('-p, --provider <id>', 'only the offer of this provider')
    .option('-m, --message <text>', 'the message that clients see', parseMessage)
    .option('--force', 'even where nobody offers it at present')
    .action(async (id: string, { config, json, provider, message, force }: SwitchOptions) => {
      await administer({ config }, 'models disable', async (admin) => {
        const { database } = admin;
        if (!force) await requireModel(database, config, { model: id, provider });
        const log = admin.audit({ fields: ['message'] });
        await new ModelSwitchStore(database).disable(id, provider, message, log);
      });
      if (json) output.json({ model: id, provider: provider ?? null, active: false });
      else output.line`Switched off ${nameOf(id, provider)}.`;
    });

  withCommonOptions(models.command('enable').argument('<id>', 'id of the model').description('put a model back into service'))
    .option('-p, --provider <id>', 'only the offer of this provider')
    .action(async (id: string, { config, json, provider }: SwitchOptions) => {
      const lifted = await administer({ config }, 'models enable', (admin) =>
        new ModelSwitchStore(admin.database).enable(id, provider, admin.audit({ fields: [] })),
      );
      if (json) output.json({ model: id, provider: provider ?? null, lifted });
      else if (lifted > 0) output.line`Switched on ${nameOf(id, provider)}.`;
      else output.line`${nameOf(id, provider)} was not switched off.`;
    });

  withCommonOptions(models.command('switches').description('list what is switched off')).action(async ({ config, json }: CommonOptions) => {
    const switches = await administer({ config }, 'models switches', ({ database }) => new ModelSwitchStore(database).list());
    if (json) {
      output.json(switches.map(({ createdAt, provider = null, ...one }) => ({ ...one, provider, created_at: isoTime(createdAt) })));
      return;
    }
    output.table(
      ['model', 'provider', 'since (UTC)', 'message'],
      switches.map(({ model, provider, createdAt, message }) => [model, provider ?? 'all', shortTime(createdAt), message]),
    );
  });
}

function nameOf(id: string, provider: string | undefined): string {
  return provider ? `${id} at ${provider}` : id;
}

function parseMessage(text: string): string {
  if (text.trim() === '' || text.length > MAX_MESSAGE_LENGTH) throw new InvalidArgumentError(`Give 1 to ${MAX_MESSAGE_LENGTH} characters.`);
  return text.trim();
}
