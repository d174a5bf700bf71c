import type { Schemas } from '../../api/client';

export type Line = Schemas['AuditView'];

const ofAccount = '/admin/v1/accounts/:account';

const words: Readonly<Record<string, string>> = {
  'POST /admin/v1/accounts': 'Made the account',
  [`PATCH ${ofAccount}`]: 'Changed the account',
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
  [`POST ${ofAccount}/tokens`]: 'Made a token',
  [`DELETE ${ofAccount}/tokens/:token`]: 'Revoked a token',
  [`POST ${ofAccount}/invitations`]: 'Invited somebody',
  [`DELETE ${ofAccount}/invitations/:invitation`]: 'Withdrew an invitation',
  'POST /admin/v1/invitations/:token/accept': 'Joined the account',
  [`PATCH ${ofAccount}/members/:user`]: 'Changed a role',
  [`DELETE ${ofAccount}/members/:user`]: 'Removed a member',
  [`POST ${ofAccount}/webhooks`]: 'Added a webhook',
  [`PATCH ${ofAccount}/webhooks/:webhook`]: 'Changed a webhook',
  [`POST ${ofAccount}/webhooks/:webhook/rotate`]: 'Gave a webhook a new secret',
  [`DELETE ${ofAccount}/webhooks/:webhook`]: 'Removed a webhook',
};

/** What was done, in a few words; as the log has it where there are none. */
export const deedInWords = ({ action, actor_kind }: Pick<Line, 'action' | 'actor_kind'>): string =>
  words[action] ?? (actor_kind === 'cli' ? `Ran switchyard ${action}` : action);

/** Who did it. Members are not told which operator it was. */
export function actorInWords({ actor, actor_email, actor_kind }: Pick<Line, 'actor' | 'actor_email' | 'actor_kind'>): string {
  if (actor_email !== null) return actor_email;
  if (actor === null) return actor_kind === 'cli' ? 'An operator, on the command line' : 'An operator';
  return { cli: `${actor}, on the command line`, token: `Token ${actor}`, user: actor }[actor_kind];
}

/** The names of what was given or has changed, such as "rules, expires at". */
export const fieldsInWords = ({ fields }: Pick<Line, 'fields'>): string =>
  fields.map((name) => name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`).replaceAll('_', ' ')).join(', ');
