import { Command, InvalidArgumentError, Option } from 'commander';
import { ChangeWebhookDto, CreateWebhookDto, RotateWebhookDto, webhookView } from '../admin/webhooks/webhook.dto.js';
import { messageOf } from '../common/message-of.js';
import { type EventType, eventTypes } from '../database/outbox.js';
import type { WebhookEndpoint } from '../webhooks/webhook-endpoint.js';
import { MAX_SECRET_GRACE_MS, WebhookEndpointStore } from '../webhooks/webhook-endpoint-store.js';
import { administering } from './administer.js';
import type { Administration } from './administration.js';
import { CommandError } from './command-error.js';
import { accountOption, type AccountOption, body, graceOption, known, parseAmount, shortTime } from './common-options.js';
import type { Output } from './output.js';

interface CreateOptions extends AccountOption {
  events: EventType[];
  lowBalanceBelow?: string;
  description?: string;
}

interface ChangeOptions {
  url?: string;
  events?: EventType[];
  lowBalanceBelow?: string;
  description?: string;
  enable?: true;
  disable?: true;
}

/** Characters of an answer that are shown. */
const SHOWN = 500;

export function webhooksCommand(output: Output): Command {
  const administers = administering(output);
  const webhooks = new Command('webhooks').description('addresses that are told of what happens, by signed messages');

  const create = webhooks
    .command('create')
    .argument('<url>', 'https://...')
    .description('make a webhook; its secret is shown once')
    .addOption(accountOption().default(undefined, "none: the operators', which are told of all accounts and of providers"))
    .requiredOption('-e, --events <list>', `with commas between them: ${eventTypes.join(', ')}`, parseEvents)
    .option('--low-balance-below <credits>', 'what balance.low calls low', parseAmount)
    .option('-d, --description <text>', 'what it is for');
  administers(create, async (admin, { account, events, lowBalanceBelow, description }: CreateOptions, url: string) => {
    const wanted = body(CreateWebhookDto, { url, events, low_balance_below: lowBalanceBelow, description });
    const { endpoint, secret } = await admin.webhooks.create(await admin.accountId(account), wanted, admin.by);
    const answer = output.says(Object.assign(view(endpoint), { secret }));
    return answer`Created ${endpoint.id}. What signs its messages is shown this once:\n\n  ${secret}\n`;
  });

  const listed = webhooks.command('list').description('list the webhooks, oldest first').addOption(accountOption());
  administers(listed, async (admin, { account }: AccountOption) => {
    const list = await admin.get(WebhookEndpointStore).list(await admin.accountId(account));
    const names = await admin.accountNames();
    return output.list(list.map(view), {
      id: 'id',
      account: ({ account_id }) => (account_id === null ? 'operators' : names.get(account_id)),
      status: 'status',
      created: ({ created_at }) => shortTime(created_at),
      events: ({ events }) => events.join(', '),
      url: 'url',
      description: 'description',
    });
  });

  const change = webhooks
    .command('change <id>')
    .description('change a webhook, within a second everywhere')
    .option('-u, --url <url>', 'where its messages go')
    .option('-e, --events <list>', 'with commas between them, in place of those that there are', parseEvents)
    .option('--low-balance-below <credits>', 'what balance.low calls low', parseAmount)
    .option('-d, --description <text>', 'what it is for')
    .addOption(new Option('--enable', 'tell it of what happens from now on').conflicts('disable'))
    .option('--disable', 'send nothing to it, and end the messages that wait for it');
  administers(change, async (admin, { url, events, description, enable, disable, lowBalanceBelow }: ChangeOptions, id: string) => {
    const wanted = body(ChangeWebhookDto, {
      url,
      events,
      // What is called low goes with the event.
      low_balance_below: lowBalanceBelow ?? (events && !events.includes('balance.low') ? null : undefined),
      description,
      enabled: enable ?? (disable ? false : undefined),
    });
    const changed = await admin.inForce(admin.webhooks.change(await ownerOf(admin, id), id, wanted, admin.by));
    return output.says(view(changed))`Changed ${changed.id}.`;
  });

  const rotate = webhooks
    .command('rotate <id>')
    .description('make a new secret, beside which the one of before signs for a while')
    .addOption(graceOption('secret', MAX_SECRET_GRACE_MS));
  administers(rotate, async (admin, { grace }: { grace: number }, id: string) => {
    const wanted = body(RotateWebhookDto, { grace_seconds: grace / 1_000 });
    const { endpoint, secret } = await admin.inForce(admin.webhooks.rotate(await ownerOf(admin, id), id, wanted, admin.by));
    const old = endpoint.oldSecretUntil === undefined ? 'ends now' : `signs until ${shortTime(endpoint.oldSecretUntil)} (UTC)`;
    const answer = output.says(Object.assign(view(endpoint), { secret }));
    return answer`The secret of ${endpoint.id} before ${old}. The new one is shown this once:\n\n  ${secret}\n`;
  });

  const test = webhooks.command('test <id>').description('send a test message, once, and show what comes back');
  administers(test, async (admin, _options, id: string) => {
    await ownerOf(admin, id);
    const { status, text: all } = await admin.webhooks.ping(id).catch((error: unknown) => {
      throw new CommandError(`no answer: ${messageOf(error)}`);
    });
    const text = all.slice(0, SHOWN);
    return [{ id, status, text }, () => output.lines(`Status ${status}${text === '' ? '' : `\n\n${text.replaceAll('\r\n', '\n')}`}`)];
  });

  const remove = webhooks.command('remove <id>').description('end a webhook, with the messages that it has not got');
  administers(remove, async (admin, _options, id: string) => {
    const removed = await admin.webhooks.remove(await ownerOf(admin, id), id, admin.by);
    return output.says(view(removed))`Removed ${removed.id}.`;
  });

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

function view(endpoint: WebhookEndpoint) {
  const { disabledAt, failingSince } = endpoint;
  const status = disabledAt !== undefined ? 'disabled' : failingSince === undefined ? 'active' : 'failing';
  return Object.assign(webhookView(endpoint), { status });
}
