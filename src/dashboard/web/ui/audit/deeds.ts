import type { Schemas } from '../../api/client';

export type Line = Schemas['AuditView'];

const ofAccount = '/admin/v1/accounts/:account';

const words: Readonly<Record<string, string>> = {
  'POST /admin/v1/session': 'Signed in',
  'POST /admin/v1/session/link': 'Signed in by a link',
  'first start': 'First start of the gateway',
  'DELETE /admin/v1/session': 'Signed out',
  'POST /admin/v1/session/link-requests': 'Somebody asked for a sign-in link',
  'DELETE /admin/v1/operators/:user': 'Dismissed an operator',
  'POST /admin/v1/accounts': 'Made the account',
  [`PATCH ${ofAccount}`]: 'Changed the account',
  [`DELETE ${ofAccount}`]: 'Closed the account',
  [`POST ${ofAccount}/keys`]: 'Made a key',
  [`PATCH ${ofAccount}/keys/:key`]: 'Changed a key',
  [`POST ${ofAccount}/keys/:key/rotate`]: 'Rotated a key',
  [`DELETE ${ofAccount}/keys/:key`]: 'Revoked a key',
  [`POST ${ofAccount}/playground/chat/completions`]: 'Began to use the playground',
  [`POST ${ofAccount}/playground/completions`]: 'Began to use the playground',
  [`POST ${ofAccount}/projects`]: 'Made a project',
  [`PATCH ${ofAccount}/projects/:project`]: 'Changed a project',
  [`DELETE ${ofAccount}/projects/:project`]: 'Archived a project',
  [`POST ${ofAccount}/credits/grants`]: 'Granted credits',
  [`PUT ${ofAccount}/credits/alert`]: 'Asked for mail on low balances',
  [`DELETE ${ofAccount}/credits/alert`]: 'Asked for no more mail on low balances',
  [`POST ${ofAccount}/tokens`]: 'Made a token',
  [`DELETE ${ofAccount}/tokens/:token`]: 'Revoked a token',
  [`POST ${ofAccount}/invitations`]: 'Invited somebody',
  [`DELETE ${ofAccount}/invitations/:invitation`]: 'Withdrew an invitation',
  [`PATCH ${ofAccount}/members/:user`]: 'Changed a role',
  [`DELETE ${ofAccount}/members/:user`]: 'Removed a member',
  [`POST ${ofAccount}/webhooks`]: 'Added a webhook',
  [`PATCH ${ofAccount}/webhooks/:webhook`]: 'Changed a webhook',
  [`POST ${ofAccount}/webhooks/:webhook/rotate`]: 'Gave a webhook a new secret',
  [`DELETE ${ofAccount}/webhooks/:webhook`]: 'Removed a webhook',
};

/** How somebody comes in who may become something by it. */
const arrivals: Readonly<Record<string, string>> = {
  'GET /admin/v1/session/oidc/:provider/callback': 'OpenID Connect',
  'POST /admin/v1/invitations/:token/accept': 'an invitation',
};

const methods: Readonly<Record<string, string>> = { POST: 'Made', PATCH: 'Changed', PUT: 'Set', DELETE: 'Removed' };

/** What ends an address, where it says more than the method. */
const verbs: Readonly<Record<string, string>> = {
  disable: 'Switched off',
  enable: 'Switched on',
  resume: 'Resumed',
  rotate: 'Rotated',
  suspend: 'Suspended',
  test: 'Tested',
};

/** What was done, in a few words: `POST /admin/v1/providers/:provider/disable` is "Switched off a provider". */
export function deedInWords({
  action,
  actor_kind,
  ...of
}: Pick<Line, 'action' | 'actor_kind' | 'subject' | 'account_id' | 'fields'>): string {
  const by = arrivals[action];
  const known = by === undefined ? words[action] : arrived(by, of);
  if (known !== undefined) return known;
  if (actor_kind === 'cli') return `Ran switchyard ${action}`;
  const [, method = '', path = ''] = /^([A-Z]+) \/admin\/v1\/(.+)$/.exec(action) ?? [];
  const parts = path.split('/').filter((part) => !part.startsWith(':'));
  const verb = verbs[parts.at(-1)!];
  const did = verb ?? methods[method];
  const things = verb === undefined ? parts.at(-1) : parts.at(-2);
  return did === undefined || !things ? action : `${did} ${one(things)}`;
}

/** Who accepts an invitation is signed in by it, which is a line of its own. */
function arrived(by: string, { subject, account_id, fields }: Pick<Line, 'subject' | 'account_id' | 'fields'>): string {
  if (subject.startsWith('ses_')) return `Signed in by ${by}`;
  if (fields.includes('password')) return 'Ended the password of before';
  return account_id === null ? 'Became an operator' : 'Joined the account';
}

/** providers -> a provider */
function one(things: string): string {
  const name = things.replaceAll('-', ' ').replace(/s$/, '');
  return `${/^[aeio]/.test(name) ? 'an' : 'a'} ${name}`;
}

type Actor = Pick<Line, 'action' | 'actor' | 'actor_name' | 'actor_email' | 'actor_kind'>;

/** Who did it. Members are not told which operator it was. */
export function actorInWords({ action, actor, actor_name, actor_email, actor_kind }: Actor): string {
  const name = actor_name ?? actor_email ?? actor;
  if (actor_kind === 'nobody') return action === 'first start' ? 'The gateway' : 'Somebody who was not signed in';
  if (name === null) return actor_kind === 'cli' ? 'An operator, on the command line' : 'An operator';
  return { cli: `${name}, on the command line`, token: `Token ${name}`, user: name }[actor_kind];
}

/** The names of what was given or has changed, such as "rules, expires at", and last what has become of rights. */
export function fieldsInWords({ fields, rights }: Pick<Line, 'fields' | 'rights'>): string {
  const inOrder = fields.toSorted((before, after) => Number(before === 'role') - Number(after === 'role'));
  const names = inOrder.map((name) => name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`).replaceAll('_', ' ')).join(', ');
  return rights === null ? names : `${names}${names === '' ? '' : ': '}${rights.before} → ${rights.after}`;
}
