import { Command, InvalidArgumentError, Option } from 'commander';
import { formatCredits, parseCredits } from '../common/credits.js';
import { messageOf } from '../common/message-of.js';
import { type EventType, eventTypes } from '../database/outbox.js';
import type { WebhookEndpoint } from '../webhooks/webhook-endpoint.js';
import { MAX_SECRET_GRACE_MS } from '../webhooks/webhook-endpoint-store.js';
import { CommandError } from './command-error.js';
import {
  accountOption,
  type CommonOptions,
  isoTime,
  namesOf,
  seenEverywhere,
  shortTime,
  spanUpTo,
  withCommonOptions,
} from './common-options.js';
import { Operator } from './operator.js';
import type { Output } from './output.js';

interface CreateOptions extends CommonOptions {
  account?: string;
  events: EventType[];
  lowBalanceBelow?: bigint;
  description?: string;
}

interface ChangeOptions extends CommonOptions {
  url?: string;
  events?: EventType[];
  lowBalanceBelow?: bigint;
  description?: string;
  enable?: true;
  disable?: true;
}

const DAY_MS = 86_400_000;

/** Characters of an answer that are shown. */
const SHOWN = 500;

export function webhooksCommand(output: Output): Command {
  const webhooks = new Command('webhooks').description('addresses that are told of what happens, by signed messages');

  withCommonOptions(webhooks.command('create').argument('<url>', 'https://...').description('make a webhook; its secret is shown once'))
    .addOption(accountOption().default(undefined, "none: the operators', which are told of all accounts and of providers"))
    .requiredOption('-e, --events <list>', `with commas between them: ${eventTypes.join(', ')}`, parseEvents)
    .option('--low-balance-below <credits>', 'what balance.low calls low', parseAmount)
    .option('-d, --description <text>', 'what it is for')
    .action(async (url: string, { config, json, account, events, lowBalanceBelow, description }: CreateOptions) => {
      const { endpoint, secret } = await Operator.with(config, async (operator) => {
        const accountId = account === undefined ? undefined : (await operator.account(account)).id;
        const { endpoints } = await operator.webhooks();
        const log = operator.audit('webhooks create', {
          accountId,
          fields: namesOf({ url, events, low_balance_below: lowBalanceBelow, description }),
        });
        return endpoints.create({ accountId, url, events, lowBalanceBelow, description }, log);
      });
      if (json) return output.json({ ...toJson(endpoint), secret });
      output.line`Created ${endpoint.id}. What signs its messages is shown this once:\n\n  ${secret}\n`;
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
        ['id', 'account', 'status', 'created', 'events', 'url', 'description'],
        list.map((one) => [
          one.id,
          one.accountId === undefined ? 'operators' : names.get(one.accountId),
          status(one),
          shortTime(one.createdAt),
          one.events.join(', '),
          one.url,
          one.description || undefined,
        ]),
      );
    });

  withCommonOptions(webhooks.command('change <id>').description('change a webhook, within a second everywhere'))
    .option('-u, --url <url>', 'where its messages go')
    .option('-e, --events <list>', 'with commas between them, in place of those that there are', parseEvents)
    .option('--low-balance-below <credits>', 'what balance.low calls low', parseAmount)
    .option('-d, --description <text>', 'what it is for')
    .addOption(new Option('--enable', 'tell it of what happens from now on').conflicts('disable'))
    .option('--disable', 'send nothing to it, and end the messages that wait for it')
    .action(async (id: string, { config, json, url, events, description, enable, disable, ...options }: ChangeOptions) => {
      const changed = await Operator.with(config, async (operator) => {
        const { endpoints } = await operator.webhooks();
        const found = await endpoints.find(id);
        if (!found) throw unknown(id);
        const wanted = {
          url: url === undefined ? undefined : endpoints.urlOf(url),
          events,
          // What is called low goes with the event.
          lowBalanceBelow: options.lowBalanceBelow ?? (events && !events.includes('balance.low') ? null : undefined),
          description,
          enabled: enable ?? (disable ? false : undefined),
        };
        const now = { ...found, enabled: found.disabledAt === undefined };
        return operator.change<WebhookEndpoint, typeof wanted>('webhooks change', found.accountId, now, wanted, (fields, log) =>
          endpoints.change(id, fields, log),
        );
      });
      if (!changed) throw unknown(id);
      if (json) output.json(toJson(changed));
      else output.line`Changed ${changed.id}.`;
    });

  withCommonOptions(webhooks.command('rotate <id>').description('make a new secret, beside which the one of before signs for a while'))
    .addOption(
      new Option('-g, --grace <span>', 'how long the old secret goes on, at most 7d')
        .argParser(spanUpTo(MAX_SECRET_GRACE_MS))
        .default(DAY_MS, '24h'),
    )
    .action(async (id: string, { config, json, grace }: CommonOptions & { grace: number }) => {
      const rotated = await Operator.with(config, async (operator) => {
        const { endpoints } = await operator.webhooks();
        const beside = operator.audit('webhooks rotate', { accountId: (await endpoints.find(id))?.accountId, fields: ['secret'] });
        const made = await endpoints.rotate(id, grace, { beside });
        await seenEverywhere();
        return made;
      });
      if (!rotated) throw unknown(id);
      const { endpoint, secret } = rotated;
      if (json) return output.json({ ...toJson(endpoint), secret });
      const old = endpoint.oldSecretUntil === undefined ? 'ends now' : `signs until ${shortTime(endpoint.oldSecretUntil)} (UTC)`;
      output.line`The secret of ${endpoint.id} before ${old}. The new one is shown this once:\n\n  ${secret}\n`;
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
      else output.lines(`Status ${answer.status}${text === '' ? '' : `\n\n${text.replaceAll('\r\n', '\n')}`}`);
    },
  );

  withCommonOptions(webhooks.command('remove <id>').description('end a webhook, with the messages that it has not got')).action(
    async (id: string, { config, json }: CommonOptions) => {
      const removed = await Operator.with(config, async (operator) => {
        const { endpoints } = await operator.webhooks();
        const log = operator.audit('webhooks remove', { accountId: (await endpoints.find(id))?.accountId, fields: [] });
        return endpoints.remove(id, { beside: log });
      });
      if (!removed) throw unknown(id);
      if (json) output.json(toJson(removed));
      else output.line`Removed ${removed.id}.`;
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
  const { id, accountId, url, events, lowBalanceBelow, description, createdAt, disabledAt, failingSince, oldSecretUntil } = endpoint;
  return {
    id,
    account_id: accountId ?? null,
    url,
    events,
    low_balance_below: lowBalanceBelow === undefined ? null : formatCredits(lowBalanceBelow),
    description,
    status: status(endpoint),
    created_at: isoTime(createdAt),
    disabled_at: disabledAt === undefined ? null : isoTime(disabledAt),
    failing_since: failingSince === undefined ? null : isoTime(failingSince),
    old_secret_until: oldSecretUntil === undefined ? null : isoTime(oldSecretUntil),
  };
}
