const methods: Record<string, string> = { POST: 'Made', PATCH: 'Changed', PUT: 'Set', DELETE: 'Removed' };

/** What ends an address, where it says more than the method. */
const verbs: Record<string, string> = {
  disable: 'Switched off',
  enable: 'Switched on',
  rotate: 'Rotated',
  test: 'Tested',
  accept: 'Accepted',
};

/** Actions whose address does not say it. */
const known: Record<string, string> = {
  'POST /admin/v1/session': 'Signed in',
  'POST /admin/v1/session/link': 'Signed in by a link',
  'GET /admin/v1/session/oidc/:provider/callback': 'Signed in by OpenID Connect',
  'DELETE /admin/v1/session': 'Signed out',
  'POST /admin/v1/accounts': 'Made an organisation',
  'PATCH /admin/v1/accounts/:account': 'Changed an organisation',
  'POST /admin/v1/accounts/:account/credits/grants': 'Granted credits',
  'DELETE /admin/v1/accounts/:account/keys/:key': 'Revoked a key',
  'POST /admin/v1/accounts/:account/playground/chat/completions': 'Made a key for the playground',
  'POST /admin/v1/accounts/:account/playground/completions': 'Made a key for the playground',
  'DELETE /admin/v1/operators/:user': 'Dismissed an operator',
};

/** An action of the log in words: `POST /admin/v1/providers/:provider/disable` is "Switched off a provider". */
export function wordsFor(action: string): string {
  const words = known[action];
  if (words !== undefined) return words;
  const [, method = '', path = ''] = /^([A-Z]+) \/admin\/v1\/(.+)$/.exec(action) ?? [];
  if (path === '') return `switchyard ${action}`;
  const parts = path.split('/').filter((part) => !part.startsWith(':'));
  const last = parts.at(-1)!;
  const verb = verbs[last];
  const things = verb === undefined ? last : (parts.at(-2) ?? last);
  return `${verb ?? methods[method] ?? method} ${one(things)}`;
}

/** providers -> a provider */
function one(things: string): string {
  const name = things.replaceAll('-', ' ').replace(/s$/, '');
  return `${/^[aeio]/.test(name) ? 'an' : 'a'} ${name}`;
}
