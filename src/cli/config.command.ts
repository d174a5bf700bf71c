import { Command } from 'commander';
import type { UnknownName } from '../catalogue/unknown-names.js';
import { ConfigError } from '../config/config-problems.js';
import { configJsonSchema } from '../config/config-json-schema.js';
import { type LoadOptions, locateSetting, variablesWithoutEffect } from '../config/load-config.js';
import type { ProviderType } from '../config/provider-type.js';
import { loadConfiguration, typesOfModules } from '../providers/registry/configuration.js';
import { providerTypes } from '../providers/registry/provider-types.js';
import type { Output } from './output.js';

export function configCommand(output: Output): Command {
  const config = new Command('config').description('the configuration file');

  config
    .command('check')
    .description('read the configuration as the gateway would, and show what it contains or what is wrong with it')
    .argument('[file]', 'instead of switchyard.yaml')
    .option('--json', 'answer in JSON')
    .action(async (file: string | undefined, { json }: { json?: true }) => {
      const problems: string[] = [];
      const configuration = await loadConfiguration({ file }).catch((error: unknown) => {
        if (!(error instanceof ConfigError)) throw error;
        problems.push(...error.problems);
        return loadConfiguration({ file, withoutWrongChoices: true }).catch(() => {
          throw error;
        });
      });
      // Imported here because it loads Nest, which makes a command take 0.4 s instead of 0.2 s.
      const { checkProviders, publicPrices } = await import('../providers/registry/check-providers.js');
      const { mergeOffers } = await import('../catalogue/merge-offers.js');
      const { perMillion } = await import('../catalogue/unlikely-prices.js');
      const { unknownNames } = await import('../catalogue/unknown-names.js');
      const { providers, models, routing, modules, catalogue } = configuration.config;
      const checked = await checkProviders(configuration);
      const { missingPrices, doubtful, offers } = mergeOffers(checked, configuration.config);
      const unknown = unknownNames(checked, configuration.config, typesOf(configuration.source));
      const said = ({ path, says }: UnknownName) => `${locateSetting(path, configuration.source)}: ${path.join('.')} ${says}`;
      const refused = [...problems, ...unknown.filter(({ sure }) => sure).map(said)];
      if (catalogue.missing_prices === 'refuse') refused.push(...missingPrices);
      if (refused.length > 0) throw new ConfigError(refused);
      const doubted = unknown.filter(({ sure }) => !sure).map(said);
      const prices = await publicPrices();
      const dear = perMillion([...offers.values()].flat(), (model) => prices(undefined, model, new Date())?.price);
      const warnings = [...missingPrices, ...doubtful, ...dear, ...doubted, ...variablesWithoutEffect(configuration.source)];
      const found = {
        providers: Object.entries(providers).map(([id, { type, base_url, api_key, free, models: own, open }]) => ({
          id,
          type,
          address: new URL(base_url).host,
          key: api_key !== undefined,
          free,
          models: own ? Object.keys(own).length : 'listed',
          open: open !== undefined,
        })),
        models: Object.keys(models),
        aliases: Object.keys(routing.aliases),
        modules,
        warnings,
      };
      if (json) return output.json({ ok: true, ...found });
      const [, table] = output.list(found.providers, {
        provider: 'id',
        type: 'type',
        address: 'address',
        key: ({ key }) => (key ? 'yes' : ''),
        free: ({ free }) => (free ? 'yes' : ''),
        models: 'models',
        'any name': ({ open }) => (open ? 'yes' : ''),
      });
      if (found.providers.length > 0) table();
      for (const name of ['models', 'aliases', 'modules'] as const)
        if (found[name].length > 0) output.line`${name}: ${found[name].join(', ')}`;
      for (const warning of warnings) output.line`warning: ${warning}`;
      const read = configuration.source.file;
      if (read === undefined)
        output.line`OK: there is no switchyard.yaml in ${process.cwd()}; the defaults and the environment can be used.`;
      else output.line`OK: the configuration in ${read} can be used.`;
    });

  config
    .command('schema')
    .description('print the JSON schema of the configuration file, for editors; with the types of the modules that it names')
    .argument('[file]', 'instead of switchyard.yaml')
    .action(async (file: string | undefined) => {
      const types = await typesOfModules({ file, types: providerTypes });
      output.json(configJsonSchema([...providerTypes, ...types]));
    });

  return config;
}

function typesOf({ types = [], modules }: LoadOptions): ProviderType[] {
  return [...types, ...(modules?.types ?? [])];
}
