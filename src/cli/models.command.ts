import { Command, Option } from 'commander';
import { PerformanceStore } from '../catalogue/performance-store.js';
import { storedPriceView } from '../catalogue/price-view.js';
import { AdminTokenStore } from '../auth/administration/admin-token-store.js';
import { componentsInWords } from '../common/prices/price-quote.js';
import { clientAddress } from '../config/client-address.js';
import type { OperatorModelView } from '../admin/models/model.dto.js';
import type { PageView } from '../admin/page.dto.js';
import type { Model, ModelList } from '../wire/model.js';
import { administer, administering } from './administer.js';
import { CommandError } from './command-error.js';
import { type CommonOptions, withCommonOptions } from './common-options.js';
import type { Output } from './output.js';
import { readConfig } from './read-config.js';
import type { Cell } from './table.js';
import { addSwitchCommands } from './switch-commands.js';

const TIMEOUT_MS = 10_000;
const TOKEN_MS = 60_000;
const MAX_PRICES = 1_000;

interface ModelsOptions extends CommonOptions {
  key?: string;
  url?: string;
  all?: true;
}

export function modelsCommand(output: Output): Command {
  const administers = administering(output);
  const models = new Command('models').description('the models that a running gateway offers, and those that are switched off');

  withCommonOptions(
    models.command('list').description('list the models as a key sees them, or without a key, beside the store, as operators do'),
  )
    .addOption(new Option('-k, --key <key>', 'API key').env('SWITCHYARD_API_KEY'))
    .option('--url <url>', 'base address of the gateway, with /v1, for a key; from the configuration if absent')
    .option('--all', 'list inactive models too')
    .action(async ({ config, json, key, url, all }: ModelsOptions) => {
      if (url !== undefined && key === undefined) throw new CommandError('--url takes --key: an operator’s token stays on this machine');
      const base = url ?? clientAddress({ ...readConfig(config).server, public_url: undefined });
      const list =
        key === undefined
          ? await operatorsModels(config, all)
          : await ask<ModelList>(`${base.replace(/\/+$/, '')}/models?active_only=${all ? 'false' : 'true'}`, key);
      if (json) return output.json(list);
      output.table(
        ['model', 'provider', 'prompt / 1k', 'completion / 1k', 'context', 'max tokens', 'status'],
        list.data.map((model) => [...('pricing' in model ? asKeySees(model) : asOperatorSees(model)), statusInWords(model)]),
      );
    });

  const performance = models
    .command('performance')
    .description('show how each offer has performed in the last half hour, at all gateways together');
  administers(performance, async (admin) => {
    const offers = await new PerformanceStore(admin.database).totals();
    const figures = offers.map(({ provider, model, served, failed, totalMs, tokens, streams, firstTokenMs }) => ({
      provider,
      model,
      served,
      failed,
      first_token: streams > 0 ? seconds(firstTokenMs / streams) : undefined,
      response_time: served > 0 ? seconds(totalMs / served) : undefined,
      tokens_per_second: totalMs > 0 ? Math.round((tokens * 10_000) / totalMs) / 10 : undefined,
    }));
    return output.list(figures, {
      model: 'model',
      provider: 'provider',
      served: 'served',
      failed: 'failed',
      'first token s': 'first_token',
      'total s': 'response_time',
      'tokens / s': 'tokens_per_second',
    });
  });

  const prices = models
    .command('prices')
    .description('list the prices that a model has had, and from when on, newest first')
    .argument('<model>', 'id of the model');
  administers(prices, async (admin, _options, model: string) => {
    const { data } = await admin.prices.history(model, { limit: MAX_PRICES });
    const words = new Map(data.map((price) => [price.id, componentsInWords(price)]));
    const [json, table] = output.list(data.map(storedPriceView), {
      from: 'valid_from',
      provider: 'provider',
      'prompt / 1k': 'prompt',
      'completion / 1k': 'completion',
      'beside these': ({ id }) => words.get(id),
      id: 'id',
    });
    return data.length > 0 ? [json, table] : output.says(json)`No price of ${model} is known: see switchyard models list --all`;
  });

  addSwitchCommands(models, output);
  return models;
}

/** As operators see them, with a token of a minute, of which nothing stays. */
function operatorsModels(file: string | undefined, all = false): Promise<{ data: OperatorModelView[] }> {
  return administer({ config: file }, 'models list', async (admin) => {
    const { host, port, admin_port = port } = admin.config.server;
    const tokens = admin.get(AdminTokenStore);
    const made = tokens.create({ role: 'operator', label: 'models list', expiresAt: Date.now() + TOKEN_MS });
    const { adminToken, token } = await admin.inForce(made);
    try {
      const address = new URL('/admin/v1/models?limit=200', clientAddress({ host, port: admin_port }));
      const data: OperatorModelView[] = [];
      for (let next: string | null = ''; next !== null;) {
        if (next) address.searchParams.set('after', next);
        const page: PageView<OperatorModelView> = await ask(address.href, token);
        data.push(...page.data.filter(({ status }) => all || status.active));
        next = page.next;
      }
      return { data };
    } finally {
      await tokens.remove(adminToken.id);
    }
  });
}

async function ask<T>(url: string, key: string): Promise<T> {
  let response: Response;
  let body: unknown;
  try {
    response = await fetch(url, { headers: { authorization: `Bearer ${key}` }, signal: AbortSignal.timeout(TIMEOUT_MS) });
    body = await response.json();
  } catch (error) {
    const { message, cause } = error as Error;
    throw new CommandError(
      `no gateway answers at ${url}: ${cause instanceof Error ? cause.message : message}; set PORT as the gateway has it`,
      { cause: error },
    );
  }
  if (response.ok) return body as T;
  const { error } = body as { error?: { message?: string; code?: string } };
  throw new CommandError(`the gateway answered ${response.status} ${error?.code ?? ''}: ${error?.message ?? 'no reason given'}`);
}

function asKeySees({ id, provider, pricing, context_length, max_tokens }: Model): Cell[] {
  return [id, provider.name, decimal(pricing.prompt), decimal(pricing.completion), context_length, max_tokens];
}

function asOperatorSees({ id, offers: [first] }: OperatorModelView): Cell[] {
  return [id, first?.provider, first?.price?.prompt, first?.price?.completion, first?.context_length, first?.max_tokens];
}

function statusInWords({ status: { active, message } }: Pick<Model, 'status'>): string {
  return active ? 'active' : `inactive: ${message}`;
}

/** A price as a decimal number, never as 1e-7. */
function decimal(price: number): string {
  return price.toFixed(9).replace(/\.?0+$/, '');
}

function seconds(ms: number): number {
  return Math.round(ms) / 1000;
}
