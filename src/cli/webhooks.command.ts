import { Command, InvalidArgumentError, Option } from 'commander';
import { ChangeWebhookDto, CreateWebhookDto, RotateWebhookDto, webhookView } from '../admin/webhooks/webhook.dto.js';
import { formatCredits, parseCredits } from '../common/credits.js';
import { messageOf } from '../common/message-of.js';
import { type EventType, eventTypes } from '../database/outbox.js';
import type { WebhookEndpoint } from '../webhooks/webhook-endpoint.js';
import { MAX_SECRET_GRACE_MS, WebhookEndpointStore } from '../webhooks/webhook-endpoint-store.js';
import { WebhookSender } from '../webhooks/webhook-sender.js';
import { administer } from './administer.js';
import type { Administration } from './administration.js';
import { CommandError } from './command-error.js';
import {
  accountOption,
  body,
  type CommonOptions,
  known,
  seenEverywhere,
  shortTime,
  spanUpTo,
  withCommonOptions,
} from './common-options.js';
import type { Output } from './output.js';

interface CreateOptions extends CommonOptions {
  account?: string;
  events: EventType[];
  lowBalanceBelow?: string;
  description?: string;
}

interface ChangeOptions extends CommonOptions {
  url?: string;
  events?: EventType[];
  lowBalanceBelow?: string;
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
      const wanted = body(CreateWebhookDto, { url, events, low_balance_below: lowBalanceBelow, description });
      const { secret, ...made } = await administer({ config }, 'webhooks create', async (admin) =>
        admin.webhooks.create(await admin.accountId(account), wanted, admin.by),
      );
      if (json) return output.json(Object.assign(view(made.endpoint), { secret }));
      output.line`Created ${made.endpoint.id}. What signs its messages is shown this once:\n\n  ${secret}\n`;
    });

  withCommonOptions(webhooks.command('list').description('list the webhooks, oldest first'))
    .addOption(accountOption())
    .action(async ({ account, ...options }: CommonOptions & { account?: string }) => {
      const { list, names } = await administer(options, 'webhooks list', async (admin) => ({
        list: await admin.get(WebhookEndpointStore).list(await admin.accountId(account)),
        names: await admin.accountNames(),
      }));
      output.list(options.json, list.map(view), {
        id: 'id',
        account: ({ account_id }) => (account_id === null ? 'operators' : names.get(account_id)),
        status: 'status',
        created: ({ created_at }) => shortTime(created_at),
        events: ({ events }) => events.join(', '),
        url: 'url',
        description: 'description',
      });
    });

  withCommonOptions(webhooks.command('change <id>').description('change a webhook, within a second everywhere'))
    .option('-u, --url <url>', 'where its messages go')
    .option('-e, --events <list>', 'with commas between them, in place of those that there are', parseEvents)
    .option('--low-balance-below <credits>', 'what balance.low calls low', parseAmount)
    .option('-d, --description <text>', 'what it is for')
    .addOption(new Option('--enable', 'tell it of what happens from now on').conflicts('disable'))
    .option('--disable', 'send nothing to it, and end the messages that wait for it')
    .action(async (id: string, { config, json, url, events, description, enable, disable, ...options }: ChangeOptions) => {
      const wanted = body(ChangeWebhookDto, {
        url,
        events,
        // What is called low goes with the event.
        low_balance_below: options.lowBalanceBelow ?? (events && !events.includes('balance.low') ? null : undefined),
        description,
        enabled: enable ?? (disable ? false : undefined),
      });
      const changed = await administer({ config }, 'webhooks change', async (admin) => {
        const after = await admin.webhooks.change(await ownerOf(admin, id), id, wanted, admin.by);
        await seenEverywhere();
        return after;
      });
      if (json) output.json(view(changed));
      else output.line`Changed ${changed.id}.`;
    });

  withCommonOptions(webhooks.command('rotate <id>').description('make a new secret, beside which the one of before signs for a while'))
    .addOption(
      new Option('-g, --grace <span>', 'how long the old secret goes on, at most 7d')
        .argParser(spanUpTo(MAX_SECRET_GRACE_MS))
        .default(DAY_MS, '24h'),
    )
    .action(async (id: string, { grace, ...options }: CommonOptions & { grace: number }) => {
      const wanted = body(RotateWebhookDto, { grace_seconds: grace / 1_000 });
      const { endpoint, secret } = await administer(options, 'webhooks rotate', async (admin) => {
        const rotated = await admin.webhooks.rotate(await ownerOf(admin, id), id, wanted, admin.by);
        await seenEverywhere();
        return rotated;
      });
      if (options.json) return output.json(Object.assign(view(endpoint), { secret }));
      const old = endpoint.oldSecretUntil === undefined ? 'ends now' : `signs until ${shortTime(endpoint.oldSecretUntil)} (UTC)`;
      output.line`The secret of ${endpoint.id} before ${old}. The new one is shown this once:\n\n  ${secret}\n`;
    });

  withCommonOptions(webhooks.command('test <id>').description('send a test message, once, and show what comes back')).action(
    async (id: string, options: CommonOptions) => {
      const answer = await administer(options, 'webhooks test', async (admin) => {
        // The service answers with the status alone, because its callers may not read what comes back.
        const to = known('webhook', id, await admin.get(WebhookEndpointStore).open(id));
        return admin
          .get(WebhookSender)
          .ping(to)
          .catch((error: unknown) => {
            throw new CommandError(`no answer: ${messageOf(error)}`);
          });
      });
      const text = answer.text.slice(0, SHOWN);
      if (options.json) output.json({ id, status: answer.status, text });
      else output.lines(`Status ${answer.status}${text === '' ? '' : `\n\n${text.replaceAll('\r\n', '\n')}`}`);
    },
  );

  withCommonOptions(webhooks.command('remove <id>').description('end a webhook, with the messages that it has not got')).action(
    async (id: string, options: CommonOptions) => {
      const removed = await administer(options, 'webhooks remove', async (admin) =>
        admin.webhooks.remove(await ownerOf(admin, id), id, admin.by),
      );
      if (options.json) output.json(view(removed));
      else output.line`Removed ${removed.id}.`;
    },
  );

  return webhooks;
}

/** @returns undefined for the operators' */
async function ownerOf(admin: Administration, id: string): Promise<string | undefined> {
  return known('webhook', id, await admin.get(WebhookEndpointStore).find(id)).accountId;
}

function parseEvents(text: string): EventType[] {
  const names = text.split(',').map((name) => name.trim());
  const wrong = names.find((name) => !eventTypes.some((type) => type === name));
  if (wrong !== undefined) throw new InvalidArgumentError(`There is no event '${wrong}'.`);
  return names as EventType[];
}

function parseAmount(text: string): string {
  try {
    return formatCredits(parseCredits(text));
  } catch (error) {
    throw new InvalidArgumentError(`That is ${messageOf(error)}.`);
  }
}

function view(endpoint: WebhookEndpoint) {
  const { disabledAt, failingSince } = endpoint;
  const status = disabledAt !== undefined ? 'disabled' : failingSince === undefined ? 'active' : 'failing';
  return Object.assign(webhookView(endpoint), { status });
}
