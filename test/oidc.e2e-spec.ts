import { jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { Database } from '../src/database/database.js';
import { PersonStore } from '../src/people/person-store.js';
import { SignInLinks } from '../src/people/sign-in/sign-in-links.js';
import { Administration } from './support/administration.js';
import { Browser, type SessionBody } from './support/browser.js';
import { Gateway } from './support/gateway.js';
import { OidcIssuer } from './support/oidc-issuer.js';
import { useGateway, useServer } from './support/started.js';

/** Whether a warning is about the issuer: a gateway that has ended may still have traces that it cannot send. */
const ofIssuer = ([line]: readonly unknown[]): boolean => / (by|of) local /.test(String(line));

describe('Signing in by OpenID Connect', () => {
  const issuer = useServer(() => OidcIssuer.start());
  const gateway = useGateway(() =>
    Gateway.start({
      dashboard: {
        allow_private_addresses: true,
        oidc: [
          {
            id: 'local',
            label: 'Local',
            issuer: issuer.url,
            client_id: 'switchyard',
            client_secret: issuer.clientSecret,
            scopes: 'openid email profile',
          },
        ],
      },
    }),
  );
  beforeAll(async () => {
    issuer.serve(gateway.url);
  });

  const app = () => gateway.running.app;
  const start = async (browser: Browser, next?: string) => {
    const answer = await browser.get(`session/oidc/local/start${next === undefined ? '' : `?next=${encodeURIComponent(next)}`}`);
    expect(answer.status).toBe(302);
    return answer.headers['location']!;
  };
  /** Where the browser ends up. */
  const back = async (browser: Browser, address: string) => {
    const { status, headers } = await browser.get(address.slice(gateway.url.length));
    expect(status).toBe(302);
    return headers['location']!;
  };
  const through = async (browser: Browser, as: string, next?: string) => back(browser, await issuer.visit(await start(browser, next), as));
  const insert = (email: string, passwordHash?: string) =>
    app()
      .get(Database)
      .change('person', (trx, version) => app().get(PersonStore).insert(trx, version, { email, name: 'Known', passwordHash }));

  it('is offered to everybody, by its label alone', async () => {
    const { body } = await new Browser(gateway.url).get('sign-in-options');
    expect(body).toMatchObject({ oidc: [{ id: 'local', label: 'Local' }] });
    expect(JSON.stringify(body)).not.toContain(issuer.url);
    expect((await new Browser(gateway.url).get('session/oidc/none/start')).status).toBe(404);
  });

  it('asks with PKCE, state and nonce', async () => {
    const asked = new URL(await start(new Browser(gateway.url)));
    expect(Object.fromEntries(asked.searchParams)).toEqual({
      client_id: 'switchyard',
      response_type: 'code',
      redirect_uri: `${gateway.url}/admin/v1/session/oidc/local/callback`,
      scope: 'openid email profile',
      state: expect.stringMatching(/^.{40,}$/),
      nonce: expect.stringMatching(/^.{40,}$/),
      code_challenge: expect.stringMatching(/^.{43}$/),
      code_challenge_method: 'S256',
    });
  });

  it('signs in who has the verified address, and knows them by their subject from then on', async () => {
    const { id } = await insert('ada@example.com');
    issuer.accounts.set('ada', { email: 'Ada@Example.com', email_verified: true });
    const browser = new Browser(gateway.url);
    expect(await through(browser, 'ada', '/dashboard/keys?account=a')).toBe('/dashboard/keys?account=a');
    expect((await browser.get('session')).body).toMatchObject({ user: { id, email: 'ada@example.com' } });
    expect(browser.cookie('switchyard_oidc')).toBeUndefined();
    issuer.accounts.set('ada', { email: 'moved@example.com', email_verified: false });
    const again = new Browser(gateway.url);
    expect(await through(again, 'ada')).toBe('/dashboard');
    expect(((await again.get('session')).body as SessionBody).user.id).toBe(id);
  });

  it.each([
    ['an address that is not verified', { email: 'grace@example.com', email_verified: false }, 'not_verified'],
    ['an address of which that is not said', { email: 'grace@example.com' }, 'not_verified'],
    ['one that is verified in words alone', { email: 'grace@example.com', email_verified: 'true' }, 'not_verified'],
    ['an address that nobody has', { email: 'stranger@example.com', email_verified: true }, 'not_invited'],
    ['no address', {}, 'not_verified'],
  ])('refuses %s', async (what, account, reason) => {
    if (!(await app().get(PersonStore).withEmail('grace@example.com'))) await insert('grace@example.com');
    issuer.accounts.set(what, account);
    const browser = new Browser(gateway.url);
    expect(await through(browser, what)).toBe(`/dashboard/sign-in?error=${reason}`);
    expect(browser.cookies).toBe('');
  });

  it.each([
    ['kate@example.com', '\u212aate@example.com'],
    ['fi@example.com', '\ufb01@example.com'],
    ['émile@example.com', 'Émile@example.com'],
    ['ada@bücher.example', 'ada@BÜCHER.example'],
    ['ada@exämple.com', 'ada@exa\u0308mple.com'],
    ['oskar@example.com', 'oskar@example.com '],
  ])('does not take %s for the owner of %s', async (known, verified) => {
    await insert(known);
    issuer.accounts.set(verified, { email: verified, email_verified: true });
    expect(await through(new Browser(gateway.url), verified)).toBe('/dashboard/sign-in?error=not_invited');
  });

  it('goes on with the subject alone for somebody whose stored address would be refused today', async () => {
    const { id } = await insert('old@example.com');
    issuer.accounts.set('old', { email: 'old@example.com', email_verified: true });
    expect(await through(new Browser(gateway.url), 'old')).toBe('/dashboard');
    await app()
      .get(Database)
      .change('person', (trx) => trx.updateTable('person').set({ email: 'o\ufb01d@example.com' }).where('id', '=', id).execute());
    issuer.accounts.set('old', { email: 'o\ufb01d@example.com', email_verified: true });
    const browser = new Browser(gateway.url);
    expect(await through(browser, 'old')).toBe('/dashboard');
    expect((await browser.get('session')).body).toMatchObject({ user: { id, email: 'o\ufb01d@example.com' } });
  });

  it('does not give somebody’s place to the next one who gets their address there', async () => {
    issuer.accounts.set('next ada', { email: 'ada@example.com', email_verified: true });
    expect(await through(new Browser(gateway.url), 'next ada')).toBe('/dashboard/sign-in?error=not_invited');
  });

  it('makes who is invited a member, without a password', async () => {
    const { accountId } = gateway.customer;
    const owner = await Administration.signedIn(gateway.running, 'owner', accountId);
    await owner.post(`accounts/${accountId}/invitations`, { email: 'new@example.com', role: 'admin' }).expect(200);
    issuer.accounts.set('unverified', { email: 'new@example.com', email_verified: false });
    expect(await through(new Browser(gateway.url), 'unverified')).toBe('/dashboard/sign-in?error=not_verified');
    issuer.accounts.set('new', { email: 'new@example.com', email_verified: true, name: 'New' });
    const browser = new Browser(gateway.url);
    expect(await through(browser, 'new')).toBe('/dashboard');
    expect((await browser.get('session')).body).toMatchObject({
      user: { email: 'new@example.com', name: 'New', has_password: false, operator: false },
      memberships: [{ account_id: accountId, role: 'admin' }],
    });
    expect((await owner.get(`accounts/${accountId}/invitations`)).body).toMatchObject({ data: [] });
  });

  it('writes of who becomes something by it what they might do before and may do now, and by which way', async () => {
    const { accountId } = gateway.customer;
    const operator = await Administration.as(gateway.running, 'operator');
    await operator.post(`accounts/${accountId}/invitations`, { email: 'both@example.com', role: 'owner' }).expect(200);
    await operator.post('operators/invitations', { email: 'both@example.com' }).expect(200);
    issuer.accounts.set('both', { email: 'both@example.com', email_verified: true });
    const browser = new Browser(gateway.url);
    expect(await through(browser, 'both')).toBe('/dashboard');
    const { id } = ((await browser.get('session')).body as SessionBody).user;
    const { body } = await operator.get('audit-log').expect(200);
    const lines = (body as { data: { actor: string; account_id: string | null }[] }).data.filter(({ actor }) => actor === id);
    const common = { actor_kind: 'user', actor_email: 'both@example.com', action: 'GET /admin/v1/session/oidc/:provider/callback' };
    expect(lines).toHaveLength(3);
    expect(lines).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ ...common, subject: id, account_id: accountId, rights: { before: 'none', after: 'owner' } }),
        expect.objectContaining({ ...common, subject: id, account_id: null, rights: { before: 'none', after: 'operator' } }),
        expect.objectContaining({ ...common, subject: expect.stringMatching(/^ses_/), rights: null }),
      ]),
    );
    expect(await through(new Browser(gateway.url), 'both')).toBe('/dashboard');
    const after = (await operator.get('audit-log').expect(200)).body as { data: { rights: object | null; actor: string }[] };
    expect(after.data.filter(({ actor, rights }) => actor === id && rights !== null)).toHaveLength(2);
  });

  it('changes nothing where it refuses somebody who is disabled', async () => {
    const operator = await Administration.as(gateway.running, 'operator');
    const { id } = await insert('gone@example.com', 'a hash');
    await operator.post('operators/invitations', { email: 'gone@example.com' }).expect(200);
    await operator.patch(`users/${id}`, { disabled: true }).expect(200);
    issuer.accounts.set('gone', { email: 'gone@example.com', email_verified: true });
    const all = async () => {
      const { db } = app().get(Database);
      const rows = (table: 'person' | 'invitation' | 'oidc_identity' | 'session' | 'audit') => db.selectFrom(table).selectAll().execute();
      return Promise.all([rows('person'), rows('invitation'), rows('oidc_identity'), rows('session'), rows('audit')]);
    };
    const before = await all();
    expect(await through(new Browser(gateway.url), 'gone')).toBe('/dashboard/sign-in?error=not_invited');
    expect(await all()).toEqual(before);
    await operator.patch(`users/${id}`, { disabled: false }).expect(200);
    expect(await through(new Browser(gateway.url), 'gone')).toBe('/dashboard');
  });

  it('takes a password and sessions from whoever has had the address without showing that it is theirs', async () => {
    const { id } = await insert('squatted@example.com');
    const squatter = new Browser(gateway.url);
    await squatter.post('session/link', { token: (await app().get(SignInLinks).make(id)).token });
    expect((await squatter.call('put', 'session/password', { password: 'the password of a squatter' })).status).toBe(200);
    issuer.accounts.set('rightful', { email: 'squatted@example.com', email_verified: true });
    const rightful = new Browser(gateway.url);
    expect(await through(rightful, 'rightful')).toBe('/dashboard');
    expect((await rightful.get('session')).body).toMatchObject({ user: { id, has_password: false } });
    expect((await squatter.get('session')).status).toBe(401);
    const again = await new Browser(gateway.url).post('session', { email: 'squatted@example.com', password: 'the password of a squatter' });
    expect(again.status).toBe(401);
  });

  it('refuses an answer that another browser has asked for, a repeated one, and one that is made up', async () => {
    const browser = new Browser(gateway.url);
    const address = await issuer.visit(await start(browser), 'ada');
    const other = new Browser(gateway.url);
    expect(await back(other, address)).toBe('/dashboard/sign-in?error=expired');
    await start(other);
    expect(await back(other, address)).toBe('/dashboard/sign-in?error=failed');
    expect(await back(browser, address)).toBe('/dashboard');
    expect(await back(browser, address)).toBe('/dashboard/sign-in?error=expired');
    await start(other);
    expect(await back(other, `${gateway.url}/admin/v1/session/oidc/local/callback?code=x&state=x`)).toBe('/dashboard/sign-in?error=failed');
  });

  it('logs what was wrong, with the words of the provider', async () => {
    const warnings = jest.spyOn(Logger.prototype, 'warn');
    try {
      const browser = new Browser(gateway.url);
      const callback = new URL(await issuer.visit(await start(browser), 'ada'));
      callback.searchParams.set('code', 'made up');
      expect(await back(browser, callback.href)).toBe('/dashboard/sign-in?error=failed');
      await start(browser);
      expect(await back(browser, `${gateway.url}/admin/v1/session/oidc/local/callback?code=x&state=x`)).toContain('error=failed');
      expect(warnings.mock.calls.filter(ofIssuer)).toEqual([
        [expect.stringMatching(/^A sign-in by local has failed: server responded .*: invalid_grant: /)],
        [expect.stringMatching(/^A sign-in by local has failed: response parameter "iss"/)],
      ]);
    } finally {
      warnings.mockRestore();
    }
  });

  it('tells who has cancelled so, and goes nowhere but to the dashboard', async () => {
    expect(await through(new Browser(gateway.url), '')).toBe('/dashboard/sign-in?error=access_denied');
    expect(await through(new Browser(gateway.url), '', '/dashboard/keys?account=a')).toBe(
      '/dashboard/sign-in?error=access_denied&next=%2Fkeys%3Faccount%3Da',
    );
    for (const next of ['https://evil.example', '//evil.example', '/dashboard/../..//evil.example', '/dashboardevil', '/dashboard\\evil'])
      expect(await through(new Browser(gateway.url), 'ada', next)).toBe('/dashboard');
  });
});

describe('An issuer', () => {
  const issuer = useServer(() => OidcIssuer.start());

  it.each([
    ['on this machine', 'https://127.0.0.1:PORT', /must not be reached/],
    ['on this machine, without TLS', 'http://127.0.0.1:PORT', /begins with https/],
    ['without TLS', 'http://issuer.example.com', /begins with https/],
    ['in a private network', 'https://10.0.0.1', /must not be reached/],
    ['whose name leads to this machine', 'https://localhost:PORT', /must not be reached/],
  ])('%s is not asked unless the operator allows it', async (_, at, reason) => {
    const warnings = jest.spyOn(Logger.prototype, 'warn');
    const address = at.replace('PORT', new URL(issuer.url).port);
    const gateway = await Gateway.start({
      dashboard: { oidc: [{ id: 'local', label: 'Local', issuer: address, client_id: 'switchyard', scopes: 'openid' }] },
    });
    try {
      const { status, body } = await new Browser(gateway.url).get('session/oidc/local/start');
      expect([status, body]).toEqual([
        502,
        { error: expect.objectContaining({ code: 'upstream_error', message: 'The provider of identities cannot be reached now.' }) },
      ]);
      expect(issuer.connections).toBe(0);
      expect(warnings.mock.calls.filter(ofIssuer)).toEqual([[expect.stringMatching(reason)]]);
    } finally {
      warnings.mockRestore();
      await gateway.close();
    }
  });
});
