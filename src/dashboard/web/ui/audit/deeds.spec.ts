import { actorInWords, deedInWords, fieldsInWords } from './deeds';

describe('A line of the audit log', () => {
  it.each([
    ['POST /admin/v1/accounts/:account/keys/:key/rotate', 'user', 'Rotated a key'],
    ['keys create', 'cli', 'Ran switchyard keys create'],
    ['POST /admin/v1/providers/:provider/disable', 'user', 'Switched off a provider'],
    ['POST /admin/v1/accounts/:account/suspend', 'user', 'Suspended an account'],
    ['DELETE /admin/v1/accounts/:account', 'user', 'Closed the account'],
    ['PATCH /admin/v1/offers/:offer', 'token', 'Changed an offer'],
    ['POST /admin/v1/session/link-requests', 'nobody', 'Somebody asked for a sign-in link'],
    ['something else', 'token', 'something else'],
  ] as const)('says of %s by a %s: %s', (action, actor_kind, said) =>
    expect(deedInWords({ action, actor_kind, subject: 'one', account_id: null, fields: [] })).toBe(said),
  );

  it.each([
    ['POST /admin/v1/invitations/:token/accept', 'usr_1', 'acct_1', ['role'], 'Joined the account'],
    ['POST /admin/v1/invitations/:token/accept', 'usr_1', null, ['role'], 'Became an operator'],
    ['POST /admin/v1/invitations/:token/accept', 'ses_1', null, [], 'Signed in by an invitation'],
    ['GET /admin/v1/session/oidc/:provider/callback', 'usr_1', null, ['role'], 'Became an operator'],
    ['GET /admin/v1/session/oidc/:provider/callback', 'usr_1', null, ['password'], 'Ended the password of before'],
    ['GET /admin/v1/session/oidc/:provider/callback', 'ses_1', null, [], 'Signed in by OpenID Connect'],
  ])('says what came of %s to %s in %s with %j: %s', (action, subject, account_id, fields, said) =>
    expect(deedInWords({ action, actor_kind: 'user', subject, account_id, fields })).toBe(said),
  );

  it.each([
    [{ actor_kind: 'user', actor: 'usr_1', actor_email: 'ada@example.com', actor_name: 'Ada' }, 'Ada'],
    [{ actor_kind: 'user', actor: 'usr_1', actor_email: 'ada@example.com' }, 'ada@example.com'],
    [{ actor_kind: 'token', actor: 'tok_1', actor_email: null, actor_name: 'Deployment' }, 'Token Deployment'],
    [{ actor_kind: 'token', actor: 'tok_1', actor_email: null }, 'Token tok_1'],
    [{ actor_kind: 'cli', actor: 'root', actor_email: null }, 'root, on the command line'],
    [{ actor_kind: 'cli', actor: null, actor_email: null }, 'An operator, on the command line'],
    [{ actor_kind: 'user', actor: null, actor_email: null }, 'An operator'],
    [{ actor_kind: 'nobody', actor: null, actor_email: null }, 'Somebody who was not signed in'],
    [{ action: 'first start', actor_kind: 'nobody', actor: null, actor_email: null }, 'The gateway'],
  ] as const)('says who it was: %j', (line, said) => expect(actorInWords({ action: '', actor_name: null, ...line })).toBe(said));

  it('names fields as people do', () =>
    expect(fieldsInWords({ fields: ['rules', 'expires_at', 'expiresAt'], rights: null })).toBe('rules, expires at, expires at'));

  it('tells what has become of rights', () => {
    expect(fieldsInWords({ fields: ['role'], rights: { before: 'viewer', after: 'owner' } })).toBe('role: viewer → owner');
    expect(fieldsInWords({ fields: ['role', 'label'], rights: { before: 'none', after: 'admin' } })).toBe('label, role: none → admin');
    expect(fieldsInWords({ fields: [], rights: { before: 'owner', after: 'none' } })).toBe('owner → none');
  });
});
