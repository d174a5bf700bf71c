import { Command, InvalidArgumentError } from 'commander';
import { formatCredits, parseCredits } from '../common/credits.js';
import { messageOf } from '../common/message-of.js';
import { type EventType, eventTypes } from '../database/outbox.js';
import type { WebhookEndpoint } from '../webhooks/webhook-endpoint-store.js';
import { CommandError } from './command-error.js';
import { accountOption, type CommonOptions, isoTime, shortTime, withCommonOptions } from './common-options.js';
import { Operator } from './operator.js';
import type { Output } from './output.js';

interface CreateOptions extends CommonOptions {
  account?: string;
  events: EventType[];
  lowBalanceBelow?: bigint;
}

/** Characters of an answer that are shown. */
const SHOWN = 500;

export function webhooksCommand(output: Output): Command {
  const webhooks = new Command('webhooks').description('addresses that are told of what happens, by signed messages');

  withCommonOptions(webhooks.command('create').argument('<url>', 'https://...').description('make a webhook; its secret is shown once'))
    .addOption(accountOption().default(undefined, "none: the operators', which are told of all accounts and of providers"))
    .requiredOption('-e, --events <list>', `with commas between them: ${eventTypes.join(', ')}`, parseEvents)
    .option('--low-balance-below <credits>', 'what balance.low calls low', parseAmount)
    .action(async (url: string, { config, json, account, events, lowBalanceBelow }: CreateOptions) => {
      const { endpoint, secret } = await Operator.with(config, async (operator) => {
        const accountId = account === undefined ? undefined : (await operator.account(account)).id;
        const { endpoints } = await operator.webhooks();
        const log = operator.audit('webhooks create', { accountId, fields: ['url', 'events', 'low_balance_below'] });
        return endpoints.create({ accountId, url, events, lowBalanceBelow }, log);
      });
      if (json) return output.json({ ...toJson(endpoint), secret });
      output.line(`Created ${endpoint.id}. What signs its messages is shown this once:\n\n  ${secret}\n`);
    });

  withCommonOptions(webhooks.command('list').description('list the webhooks, oldest first'))
    .addOption(accountOption())
    .action(async ({ config, json, account }: CommonOptions & { account?: string }) => {
      const { list, names } = await Operator.with(config, async (operator) => {
        const accountId = account === undefined ? undefined : (await operator.account(account)).id;
        const { endpoints } = await operator.webhooks();
        return { list: await endpoints.list(accountId), names: await operator.accountNames() };
      });
      if (json) return output.json(list.map(toJson));
      output.table(
        ['id', 'account', 'status', 'created', 'events', 'url'],
        list.map((one) => [
          one.id,
          one.accountId === undefined ? 'operators' : names.get(one.accountId),
          status(one),
          shortTime(one.createdAt),
          one.events.join(', '),
          one.url,
        ]),
      );
    });

  withCommonOptions(webhooks.command('test <id>').description('send a test message, once, and show what comes back')).action(
    async (id: string, { config, json }: CommonOptions) => {
      const answer = await Operator.with(config, async (operator) => {
        const { endpoints, sender } = await operator.webhooks();
        const to = await endpoints.open(id);
        if (!to) throw unknown(id);
        return sender.ping(to).catch((error: unknown) => {
          throw new CommandError(`no answer: ${messageOf(error)}`);
        });
      });
      const text = answer.text.slice(0, SHOWN);
      if (json) output.json({ id, status: answer.status, text });
      else output.line(`Status ${answer.status}${text === '' ? '' : `\n\n${text}`}`);
    },
  );

  withCommonOptions(webhooks.command('remove <id>').description('end a webhook, with the messages that it has not got')).action(
    async (id: string, { config, json }: CommonOptions) => {
      const removed = await Operator.with(config, async (operator) => {
        const { endpoints } = await operator.webhooks();
        const log = operator.audit('webhooks remove', { accountId: (await endpoints.find(id))?.accountId, fields: [] });
        return endpoints.remove(id, log);
      });
      if (!removed) throw unknown(id);
      if (json) output.json(toJson(removed));
      else output.line(`Removed ${removed.id}.`);
    },
  );

  return webhooks;
}

function unknown(id: string): CommandError {
  return new CommandError(`there is no webhook '${id}': see switchyard webhooks list`);
}

function parseEvents(text: string): EventType[] {
  const names = text.split(',').map((name) => name.trim());
  const wrong = names.find((name) => !eventTypes.some((type) => type === name));
  if (wrong !== undefined) throw new InvalidArgumentError(`There is no event '${wrong}'.`);
  return names as EventType[];
}

function parseAmount(text: string): bigint {
  try {
    return parseCredits(text);
  } catch (error) {
    throw new InvalidArgumentError(`That is ${messageOf(error)}.`);
  }
}

function status({ disabledAt, failingSince }: WebhookEndpoint): 'active' | 'failing' | 'disabled' {
  if (disabledAt !== undefined) return 'disabled';
  return failingSince === undefined ? 'active' : 'failing';
}

function toJson(endpoint: WebhookEndpoint) {
  const { id, accountId, url, events, lowBalanceBelow, createdAt, disabledAt, failingSince } = endpoint;
  return {
    id,
    account_id: accountId ?? null,
    url,
    events,
    low_balance_below: lowBalanceBelow === undefined ? null : formatCredits(lowBalanceBelow),
    status: status(endpoint),
    created_at: isoTime(createdAt),
    disabled_at: disabledAt === undefined ? null : isoTime(disabledAt),
    failing_since: failingSince === undefined ? null : isoTime(failingSince),
  };
}
