import { Database } from '../src/database/database.js';
import { FirstOwner } from '../src/people/first-owner.js';
import { MemberStore } from '../src/people/member-store.js';
import { PersonStore } from '../src/people/person-store.js';
import { SignInLinks } from '../src/people/sign-in/sign-in-links.js';
import { Administration } from './support/administration.js';
import { Browser, type SessionBody } from './support/browser.js';
import { Gateway } from './support/gateway.js';
import { MailServer } from './support/mail-server.js';
import { until } from './support/until.js';

const PASSWORD = 'correct horse battery';

describe('People', () => {
  let gateway: Gateway;
  beforeAll(async () => {
    gateway = await Gateway.start();
  });
  afterAll(() => gateway.close());

  const app = () => gateway.running.app;
  const store = () => app().get(Database).db;
  const linkFor = async (email: string): Promise<string> => {
    const person = await app().get(PersonStore).withEmail(email);
    return (await app().get(SignInLinks).make(person!.id)).token;
  };
  /** Signed in by a link, as somebody who has just been made. */
  async function somebody(email: string): Promise<Browser> {
    const people = app().get(PersonStore);
    await app()
      .get(Database)
      .change('person', (trx, version) => people.insert(trx, version, { email, name: 'Somebody' }));
    return signedIn(await linkFor(email));
  }
  async function signedIn(link: string, url = gateway.url): Promise<Browser> {
    const browser = new Browser(url);
    expect((await browser.post('session/link', { token: link })).status).toBe(200);
    return browser;
  }
  const refusal = (status: number, code: string) => expect.objectContaining({ status, body: { error: expect.objectContaining({ code }) } });

  describe('the first one', () => {
    it('is an operator who owns the first account, and comes in by the link of the first start, once', async () => {
      const link = await linkFor('owner@localhost');
      const browser = new Browser(gateway.url);
      const answer = await browser.post('session/link', { token: link });
      expect([answer.status, answer.body]).toEqual([
        200,
        {
          user: { id: expect.stringMatching(/^usr_/), email: 'owner@localhost', name: 'Owner', operator: true, has_password: false },
          memberships: [{ account_id: gateway.running.accountId, account_name: 'starter', role: 'owner' }],
          csrf_token: expect.stringMatching(/^[0-9a-f]{64}$/),
          expires_at: expect.stringMatching(/Z$/),
        },
      ]);
      expect(browser.lastSetCookie).toMatch(/^switchyard_session=sy-session-\w{32}; Path=\/; Max-Age=604800; HttpOnly; SameSite=Lax$/);
      expect(await new Browser(gateway.url).post('session/link', { token: link })).toEqual(refusal(401, 'invalid_credentials'));
      expect((await browser.get('accounts')).status).toBe(200);
      expect((await browser.get('me')).body).toEqual({
        token_id: null,
        user_id: (answer.body as SessionBody).user.id,
        role: 'operator',
        account_id: null,
      });
    });

    it('is made once, with a link of which the store has a digest alone', async () => {
      await expect(app().get(FirstOwner).make(gateway.running.accountId)).rejects.toThrow();
      const link = await linkFor('owner@localhost');
      expect(JSON.stringify(await store().selectFrom('sign_in_link').selectAll().execute(), bigints)).not.toContain(link);
    });

    it('may be seen to be there by everybody', async () => {
      const { status, body } = await new Browser(gateway.url).get('sign-in-options');
      expect([status, body]).toEqual([200, { password: true, oidc: [], link_by_mail: false, has_people: true }]);
    });
  });

  describe('with a password', () => {
    let browser: Browser;
    beforeAll(async () => {
      browser = await somebody('ada@example.com');
      const answer = await browser.call('put', 'session/password', { password: PASSWORD });
      expect([answer.status, (answer.body as SessionBody).user.has_password]).toEqual([200, true]);
    });

    const signIn = (body: object, from = new Browser(gateway.url)) => from.post('session', body);

    it('sign in, whatever the case of their address, and are somebody else’s session', async () => {
      const other = new Browser(gateway.url);
      const answer = await signIn({ email: ' Ada@EXAMPLE.com', password: PASSWORD }, other);
      expect([answer.status, (answer.body as SessionBody).user.email]).toEqual([200, 'ada@example.com']);
      expect(other.cookie()).not.toBe(browser.cookie());
      expect((await other.get('session')).status).toBe(200);
      expect((await browser.get('session')).status).toBe(200);
    });

    it('get the same answer for a wrong password, an unknown address and one without a password', async () => {
      await somebody('none@example.com');
      const answers = [
        await signIn({ email: 'ada@example.com', password: 'wrong' }),
        await signIn({ email: 'nobody@example.com', password: PASSWORD }),
        await signIn({ email: 'none@example.com', password: '' }),
        await signIn({ email: 'no address', password: PASSWORD }),
      ];
      for (const answer of answers) {
        expect(answer).toEqual(refusal(401, 'invalid_credentials'));
        expect(answer.text).toBe(answers[0]!.text);
        expect(answer.headers['set-cookie']).toBeUndefined();
      }
    });

    it('keep it as Argon2id, and the store has no token of a session', async () => {
      const row = await store().selectFrom('person').selectAll().where('email', '=', 'ada@example.com').executeTakeFirstOrThrow();
      expect(row.password).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/);
      const sessions = JSON.stringify(await store().selectFrom('session').selectAll().execute(), bigints);
      expect(sessions).not.toContain(browser.cookie()!.slice(-32));
    });

    it('change it knowing the one before, and are signed out everywhere else', async () => {
      const here = new Browser(gateway.url);
      const there = new Browser(gateway.url);
      for (const one of [here, there]) expect((await signIn({ email: 'ada@example.com', password: PASSWORD }, one)).status).toBe(200);
      const change = (body: object) => here.call('put', 'session/password', body);
      expect(await change({ password: 'another long one' })).toEqual(refusal(400, 'invalid_request'));
      expect(await change({ current: 'wrong', password: 'another long one' })).toEqual(refusal(401, 'invalid_credentials'));
      expect(await change({ current: PASSWORD, password: 'short' })).toEqual(refusal(400, 'invalid_request'));
      expect((await change({ current: PASSWORD, password: 'another long one' })).status).toBe(200);
      expect((await here.get('session')).status).toBe(200);
      expect(await there.get('session')).toEqual(refusal(401, 'invalid_session'));
      expect(await signIn({ email: 'ada@example.com', password: PASSWORD })).toEqual(refusal(401, 'invalid_credentials'));
    });

    it('are asked to wait after ten wrong ones, by whichever gateway and whether or not the address is somebody’s', async () => {
      for (const email of ['throttled@example.com', 'nobody-either@example.com']) {
        if (email.startsWith('throttled')) {
          const known = await somebody(email);
          await known.call('put', 'session/password', { password: PASSWORD });
        }
        const statuses = await Promise.all(Array.from({ length: 12 }, () => signIn({ email, password: 'wrong password' }))).then((all) =>
          all.map(({ status }) => status).sort((one, other) => one - other),
        );
        expect([email, statuses]).toEqual([email, [...Array<number>(10).fill(401), 429, 429]]);
        const refused = await signIn({ email, password: PASSWORD });
        expect(refused).toEqual(refusal(429, 'rate_limit_exceeded'));
        expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
      }
      // A link still lets them in, and others are not kept waiting.
      await signedIn(await linkFor('throttled@example.com'));
      expect((await signIn({ email: 'ada@example.com', password: 'another long one' })).status).toBe(200);
      const rows = JSON.stringify(await store().selectFrom('sign_in_failure').selectAll().execute(), bigints);
      expect(rows).not.toContain('example.com');
    });
  });

  describe('in their session', () => {
    it('may change nothing without its token, or from another origin', async () => {
      const browser = await somebody('csrf@example.com');
      const change = (headers: Readonly<Record<string, string>>) => browser.call('patch', 'session/user', { name: 'New' }, headers);
      expect(await change({ 'x-csrf-token': '' })).toEqual(refusal(403, 'permission_denied'));
      expect(await change({ 'x-csrf-token': 'f'.repeat(64) })).toEqual(refusal(403, 'permission_denied'));
      const other = await somebody('csrf2@example.com');
      expect(await change({ 'x-csrf-token': other.csrfToken! })).toEqual(refusal(403, 'permission_denied'));
      expect(await change({ origin: 'https://evil.example' })).toEqual(refusal(403, 'permission_denied'));
      expect(await change({ origin: 'null' })).toEqual(refusal(403, 'permission_denied'));
      expect((await browser.get('session')).body).toMatchObject({ user: { name: 'Somebody' } });
      expect([(await change({})).status, (await browser.get('session')).body]).toMatchObject([200, { user: { name: 'New' } }]);
    });

    it('are not signed in by a page of another origin', async () => {
      const link = await linkFor('csrf@example.com');
      const victim = new Browser(gateway.url);
      expect(await victim.call('post', 'session/link', { token: link }, { origin: 'https://evil.example' })).toEqual(
        refusal(403, 'permission_denied'),
      );
      const form = await victim.call('post', 'session/link', undefined, { 'content-type': 'text/plain' });
      expect(form.status).toBe(415);
      expect((await victim.post('session/link', { token: link })).status).toBe(200);
    });

    it('do not keep one that somebody else has planted', async () => {
      const attacker = await somebody('attacker@example.com');
      const victim = new Browser(gateway.url);
      victim.setCookie('switchyard_session', attacker.cookie()!);
      expect((await victim.post('session/link', { token: await linkFor('csrf@example.com') })).status).toBe(200);
      expect(victim.cookie()).not.toBe(attacker.cookie());
      expect((await victim.get('session')).body).toMatchObject({ user: { email: 'csrf@example.com' } });
      // The planted one has ended.
      expect(await attacker.get('session')).toEqual(refusal(401, 'invalid_session'));
      victim.setCookie('switchyard_session', 'sy-session-00000000000000000000000000000000');
      expect(await victim.get('session')).toEqual(refusal(401, 'invalid_session'));
    });

    it('see where they are signed in, and sign out there and here', async () => {
      const browser = await somebody('where@example.com');
      const other = await signedIn(await linkFor('where@example.com'));
      const { body } = await browser.get('session/sessions');
      const list = (body as { data: { id: string; current: boolean }[] }).data;
      expect(list).toMatchObject([{ current: false, opened_by: 'link' }, { current: true }]);
      const stranger = await somebody('stranger@example.com');
      expect(await stranger.call('delete', `session/sessions/${list[0]!.id}`)).toEqual(refusal(404, 'not_found'));
      expect((await browser.call('delete', `session/sessions/${list[0]!.id}`)).status).toBe(200);
      expect(await other.get('session')).toEqual(refusal(401, 'invalid_session'));
      expect((await browser.call('delete', 'session')).status).toBe(204);
      expect(browser.cookies).toBe('');
      expect(await browser.get('session')).toEqual(refusal(401, 'missing_api_key'));
    });

    it('have twenty of them at most', async () => {
      const first = await somebody('many@example.com');
      for (let more = 0; more < 20; more++) await signedIn(await linkFor('many@example.com'));
      expect(await first.get('session')).toEqual(refusal(401, 'invalid_session'));
      const open = await store().selectFrom('session').select('id').where('ended_at', 'is', null).where('person_id', 'in', (select) => select.selectFrom('person').select('id').where('email', '=', 'many@example.com')).execute(); // prettier-ignore
      expect(open).toHaveLength(20);
    });

    it('are out at once when they are disabled', async () => {
      const browser = await somebody('gone@example.com');
      const person = await app().get(PersonStore).withEmail('gone@example.com');
      await app().get(PersonStore).change(person!.id, { disabled: true });
      expect(await browser.get('session')).toEqual(refusal(401, 'invalid_session'));
      expect(await new Browser(gateway.url).post('session/link', { token: await linkFor('gone@example.com') })).toEqual(
        refusal(401, 'invalid_credentials'),
      );
    });

    it('open nothing below /v1 by their cookie, and a token opens no session', async () => {
      const browser = await somebody('v1@example.com');
      expect(await browser.get('/v1/models')).toEqual(refusal(401, 'missing_api_key'));
      const operator = await Administration.as(gateway.running, 'operator');
      const { status } = await operator.get('session');
      expect(status).toBe(403);
    });

    it('are named in the audit log', async () => {
      const browser = await somebody('audited@example.com');
      await browser.call('patch', 'session/user', { name: 'Audited' });
      const operator = await Administration.as(gateway.running, 'operator');
      const { body } = await operator.get('audit-log');
      expect((body as { data: object[] }).data.slice(0, 2)).toMatchObject([
        { actor_kind: 'user', actor_email: 'audited@example.com', role: null, action: 'PATCH /admin/v1/session/user', fields: ['name'] },
        { actor_kind: 'user', actor_email: 'audited@example.com', action: 'POST /admin/v1/session/link', address: '127.0.0.1' },
      ]);
    });
  });

  describe('who are invited', () => {
    const invite = async (by: Administration, path: string, body: object) => {
      const { status, body: made } = await by.post(path, body);
      return { status, made: made as { id: string; link: string; email: string } };
    };
    const tokenOf = ({ link }: { link: string }) => /\/dashboard\/invitations\/([\w-]+)$/.exec(link)![1]!;

    it('become members by a link that works once, and choose a name and a password', async () => {
      const { accountId } = gateway.customer;
      const owner = await Administration.signedIn(gateway.running, 'owner', accountId);
      const { made } = await invite(owner, `accounts/${accountId}/invitations`, { email: 'Grace@Example.com', role: 'developer' });
      expect(made).toMatchObject({ email: 'grace@example.com', role: 'developer', account_id: accountId, mailed: false });
      expect(made.link).toMatch(new RegExp(`^${gateway.url}/dashboard/invitations/sy-invitation-\\w{32}$`));
      const token = tokenOf(made);
      const listed = await owner.get(`accounts/${accountId}/invitations`);
      expect([listed.body, listed.text.includes(token)]).toMatchObject([{ data: [{ id: made.id }] }, false]);
      expect(JSON.stringify(await store().selectFrom('invitation').selectAll().execute(), bigints)).not.toContain(token);

      const browser = new Browser(gateway.url);
      expect((await browser.get(`invitations/${token}`)).body).toMatchObject({
        email: 'grace@example.com',
        role: 'developer',
        known: false,
      });
      const accept = (body: object, as = browser) => as.post(`invitations/${token}/accept`, body);
      expect(await accept({ name: 'Grace', password: 'short' })).toEqual(refusal(400, 'invalid_request'));
      const accepted = await accept({ name: 'Grace', password: PASSWORD });
      expect([accepted.status, accepted.body]).toMatchObject([
        200,
        { user: { email: 'grace@example.com', operator: false }, memberships: [{ account_id: accountId, role: 'developer' }] },
      ]);
      expect((await browser.get(`accounts/${accountId}`)).status).toBe(200);
      expect((await browser.post(`accounts/${accountId}/projects`, { name: 'No' })).status).toBe(403);
      expect(await browser.get(`accounts/${gateway.running.accountId}`)).toEqual(refusal(404, 'not_found'));
      expect(await accept({ name: 'Grace', password: PASSWORD }, new Browser(gateway.url))).toEqual(refusal(404, 'not_found'));
      expect((await new Browser(gateway.url).get(`invitations/${token}`)).status).toBe(404);
      expect((await invite(owner, `accounts/${accountId}/invitations`, { email: 'grace@example.com', role: 'owner' })).status).toBe(409);
    });

    it('who sign in already prove who they are: the link alone lets nobody in as them', async () => {
      const { accountId } = gateway.customer;
      const owner = await Administration.signedIn(gateway.running, 'owner', accountId);
      const known = await somebody('known@example.com');
      await known.call('put', 'session/password', { password: PASSWORD });
      const { made } = await invite(owner, `accounts/${accountId}/invitations`, { email: 'known@example.com', role: 'viewer' });
      const path = `invitations/${tokenOf(made)}/accept`;
      const thief = new Browser(gateway.url);
      expect(await thief.post(path, { name: 'Thief', password: 'thief thief thief' })).toEqual(refusal(401, 'invalid_credentials'));
      expect(await thief.post(path, {})).toEqual(refusal(401, 'invalid_credentials'));
      expect(thief.cookies).toBe('');
      const other = await somebody('other-known@example.com');
      expect(await other.post(path, {})).toEqual(refusal(401, 'invalid_credentials'));
      expect(await known.call('post', path, {}, { 'x-csrf-token': '' })).toEqual(refusal(403, 'permission_denied'));
      expect((await known.post(path, {})).body).toMatchObject({ user: { name: 'Somebody' }, memberships: [{ role: 'viewer' }] });
    });

    it('who sign in by a link leave behind whoever has had their address before', async () => {
      const { accountId } = gateway.customer;
      const owner = await Administration.signedIn(gateway.running, 'owner', accountId);
      const first = (await invite(owner, `accounts/${accountId}/invitations`, { email: 'chief@example.com', role: 'viewer' })).made;
      const squatter = new Browser(gateway.url);
      await squatter.post(`invitations/${tokenOf(first)}/accept`, { name: 'Squatter', password: PASSWORD });
      const { user } = (await squatter.get('session')).body as SessionBody;
      const operator = await Administration.as(gateway.running, 'operator');
      const promoted = async (browser: Browser) => {
        const { made } = await invite(operator, 'operators/invitations', { email: 'chief@example.com' });
        return browser.post(`invitations/${tokenOf(made)}/accept`, {});
      };
      const chief = await signedIn(await linkFor('chief@example.com'));
      expect((await promoted(chief)).body).toMatchObject({ user: { operator: true, has_password: false } });
      expect((await chief.get('users')).status).toBe(200);
      expect(await squatter.get('users')).toEqual(refusal(401, 'invalid_session'));
      const again = new Browser(gateway.url);
      expect(await again.post('session', { email: 'chief@example.com', password: PASSWORD })).toEqual(refusal(401, 'invalid_credentials'));

      // A password that was set since stays.
      const sure = await signedIn(await linkFor('chief@example.com'));
      await sure.call('put', 'session/password', { password: 'another one of them' });
      await operator.delete(`operators/${user.id}`).expect(200);
      expect((await promoted(sure)).body).toMatchObject({ user: { operator: true, has_password: true } });
      await operator.delete(`operators/${user.id}`).expect(200);
    });

    it('may be made operators, and be none any more; the last operator stays', async () => {
      const operator = await Administration.as(gateway.running, 'operator');
      const { made } = await invite(operator, 'operators/invitations', { email: 'op@example.com' });
      const browser = new Browser(gateway.url);
      const { body } = await browser.post(`invitations/${tokenOf(made)}/accept`, { name: 'Op', password: PASSWORD });
      const { id } = (body as SessionBody).user;
      expect((await browser.get('users')).status).toBe(200);
      const listed = (await operator.get('operators').expect(200)).body as { data: { id: string }[] };
      expect(listed.data.map((one) => one.id)).toContain(id);
      for (const one of listed.data.filter((person) => person.id !== id)) await operator.delete(`operators/${one.id}`).expect(200);
      expect((await operator.delete(`operators/${id}`)).status).toBe(400);
      expect((await operator.patch(`users/${id}`, { disabled: true })).status).toBe(400);
      const owner = await app().get(PersonStore).withEmail('owner@localhost');
      await app().get(PersonStore).change(owner!.id, { operator: true });
      await operator.delete(`operators/${id}`).expect(200);
      expect(await browser.get('users')).toEqual(refusal(403, 'permission_denied'));
    });

    it('are not, once the invitation is withdrawn or replaced', async () => {
      const operator = await Administration.as(gateway.running, 'operator');
      const first = (await invite(operator, 'operators/invitations', { email: 'late@example.com' })).made;
      const second = (await invite(operator, 'operators/invitations', { email: 'late@example.com' })).made;
      await operator.delete(`operators/invitations/${second.id}`).expect(200);
      for (const made of [first, second])
        expect(await new Browser(gateway.url).post(`invitations/${tokenOf(made)}/accept`, { name: 'Late', password: PASSWORD })).toEqual(
          refusal(404, 'not_found'),
        );
      await operator.delete(`operators/invitations/${first.id}`).expect(404);
    });
  });

  describe('of an account', () => {
    it('have their roles changed and are removed, in force at once; the last owner stays', async () => {
      const operator = await Administration.as(gateway.running, 'operator');
      const { accountId } = await gateway.newCustomer();
      const members = async () =>
        ((await operator.get(`accounts/${accountId}/members`).expect(200)).body as { data: { user_id: string; role: string }[] }).data;
      const owner = await Administration.signedIn(gateway.running, 'owner', accountId);
      const viewer = await Administration.signedIn(gateway.running, 'viewer', accountId);
      const idOf = async (role: string) => (await members()).find((one) => one.role === role)!.user_id;
      const [ownerId, viewerId] = [await idOf('owner'), await idOf('viewer')];
      expect((await owner.delete(`accounts/${accountId}/members/${ownerId}`)).status).toBe(400);
      expect((await owner.patch(`accounts/${accountId}/members/${ownerId}`, { role: 'admin' })).status).toBe(400);
      await owner.patch(`accounts/${accountId}/members/${viewerId}`, { role: 'admin' }).expect(200);
      await viewer.post(`accounts/${accountId}/projects`, { name: 'Now' }).expect(200);
      await owner.delete(`accounts/${accountId}/members/${viewerId}`).expect(200);
      // No other account is left for them.
      await viewer.get(`accounts/${accountId}`).expect(401);
      expect(await members()).toMatchObject([{ user_id: ownerId, role: 'owner' }]);
    });

    it('stay signed in where another account is left, or where they are operators', async () => {
      const operator = await Administration.as(gateway.running, 'operator');
      const [{ accountId }, other] = [await gateway.newCustomer(), await gateway.newCustomer()];
      const both = await Administration.signedIn(gateway.running, 'developer', accountId);
      const boss = await Administration.signedIn(gateway.running, 'operator');
      await app()
        .get(Database)
        .change('person', async (trx, version) => {
          await app().get(MemberStore).put(trx, version, other.accountId, both.personId, 'viewer');
          await app().get(MemberStore).put(trx, version, accountId, boss.personId, 'developer');
        });
      for (const { personId } of [both, boss]) await operator.delete(`accounts/${accountId}/members/${personId}`).expect(200);
      await both.get(`accounts/${accountId}`).expect(404);
      await both.get(`accounts/${other.accountId}`).expect(200);
      await boss.get(`accounts/${accountId}`).expect(200);
    });

    it('are seen by one another, with the time of their last request', async () => {
      const { accountId } = await gateway.newCustomer();
      const viewer = await Administration.signedIn(gateway.running, 'viewer', accountId);
      await app()
        .get(Database)
        .change('person', async (trx, version) => {
          const { id } = await app().get(PersonStore).insert(trx, version, { email: 'never@example.com', name: 'Never' });
          await app().get(MemberStore).put(trx, version, accountId, id, 'owner');
        });
      const { body } = await viewer.get(`accounts/${accountId}/members`).expect(200);
      const seen = (body as { data: { user_id: string; last_seen_at: string | null }[] }).data;
      expect(seen).toMatchObject([{ last_seen_at: null }, { user_id: viewer.personId }]);
      expect(Math.abs(Date.parse(seen[1]!.last_seen_at!) - Date.now())).toBeLessThan(60_000);
    });

    it('are changed by operators alone beyond it, and may be let in by a link', async () => {
      const operator = await Administration.as(gateway.running, 'operator');
      const browser = await somebody('changed@example.com');
      const { id } = ((await browser.get('session')).body as SessionBody).user;
      const { body: user, headers } = await operator.get(`users/${id}`).expect(200);
      expect(user).toMatchObject({ email: 'changed@example.com', disabled: false, has_password: false });
      await operator.patch(`users/${id}`, { email: 'OWNER@localhost' }).expect(409);
      await operator.patch(`users/${id}`, { email: 'Moved@example.com' }, headers['etag'] as string).expect(200);
      await operator.patch(`users/${id}`, { name: 'Late' }, headers['etag'] as string).expect(412);
      const { body } = await operator.post(`users/${id}/sign-in-links`).expect(200);
      const link = /\?link=([\w-]+)$/.exec((body as { link: string }).link)![1]!;
      expect((await (await signedIn(link)).get('session')).body).toMatchObject({ user: { email: 'moved@example.com' } });
      await operator.patch(`users/${id}`, { disabled: true }).expect(200);
      expect(await browser.get('session')).toEqual(refusal(401, 'invalid_session'));
      await operator.patch(`users/${id}`, { disabled: false }).expect(200);
      // What was open before stays closed.
      expect(await browser.get('session')).toEqual(refusal(401, 'invalid_session'));
    });
  });

  it('are strangers with one small body each, and a bounded number of requests', async () => {
    const browser = new Browser(gateway.url);
    expect((await browser.post('session', { email: 'a@b', password: 'x'.repeat(20_000) })).status).toBe(413);
  });
});

describe('A mail server', () => {
  it('is sent invitations and links of operators, and what it does not take is shown all the same', async () => {
    const mail = await new MailServer().start();
    const gateway = await Gateway.start({
      dashboard: { public_url: 'https://pages.example.com', mail: { url: mail.url, from: 'Switchyard <gateway@example.com>' } },
    });
    try {
      const operator = await Administration.as(gateway.running, 'operator');
      const { accountId } = gateway.customer;
      await operator.patch(`accounts/${accountId}`, { name: 'Acme\r\nBcc: all@example.com' }).expect(200);
      const { body } = await operator.post(`accounts/${accountId}/invitations`, { email: 'ada@example.com', role: 'owner' }).expect(200);
      await until(async () => mail.messages.length === 1, 'the message');
      const [message] = mail.messages.map((text) => text.replace(/=\n/g, '').replaceAll('=3D', '='));
      expect(message).toMatch(/^From: Switchyard <gateway@example\.com>$/m);
      expect(message).toMatch(/^To: ada@example\.com$/m);
      expect(message).not.toMatch(/^Bcc/m);
      expect(message).toContain((body as { link: string }).link);
      expect(body).toMatchObject({ mailed: true });
      const person = await gateway.running.app.get(PersonStore).withEmail('owner@localhost');
      const link = await operator.post(`users/${person!.id}/sign-in-links`).expect(200);
      await until(async () => mail.messages.length === 2, 'the second message');
      expect(mail.messages[1]!.replace(/=\n/g, '').replaceAll('=3D', '=')).toContain((link.body as { link: string }).link);
      await mail.stop();
      await operator.post(`accounts/${accountId}/invitations`, { email: 'bob@example.com', role: 'owner' }).expect(200);
    } finally {
      await gateway.close();
    }
  });
});

describe('A mail server without a known address of the pages', () => {
  it('is sent nothing, because links would lead where the request says', async () => {
    const mail = await new MailServer().start();
    const gateway = await Gateway.start({ dashboard: { mail: { url: mail.url, from: 'gateway@example.com' } } });
    try {
      const operator = await Administration.as(gateway.running, 'operator');
      const invite = operator.post(`accounts/${gateway.customer.accountId}/invitations`, { email: 'ada@example.com', role: 'owner' });
      const { body } = await invite.set('host', 'elsewhere.example').expect(200);
      expect(body).toMatchObject({ mailed: false, link: expect.stringContaining('/dashboard/invitations/') as string });
      expect(mail.messages).toEqual([]);
    } finally {
      await gateway.close();
      await mail.stop();
    }
  });
});

describe('Whoever has forgotten their password', () => {
  const from = 'Switchyard <gateway@example.com>';
  let mail: MailServer;
  let gateway: Gateway;
  beforeAll(async () => {
    mail = await new MailServer().start();
    gateway = await Gateway.start({ dashboard: { mail: { url: mail.url, from }, public_url: 'https://gateway.example.com' } });
  });
  afterAll(async () => {
    await gateway.close();
    await mail.stop();
  });

  const insert = (email: string, passwordHash?: string) =>
    gateway.running.app
      .get(Database)
      .change('person', (trx, version) => gateway.running.app.get(PersonStore).insert(trx, version, { email, name: '', passwordHash }));
  const ask = (email: string, headers: Readonly<Record<string, string>> = {}) =>
    new Browser(gateway.url).call('post', 'session/link-requests', { email }, headers);

  it('is sent a link to the pages of the configuration, and nobody is told whether it was', async () => {
    expect((await new Browser(gateway.url).get('sign-in-options')).body).toMatchObject({ link_by_mail: true });
    await insert('ada@example.com', 'a hash');
    const gone = await insert('gone@example.com', 'a hash');
    await gateway.running.app.get(PersonStore).change(gone.id, { disabled: true });
    const elsewhere = await insert('elsewhere@example.com');
    const identity = { issuer: 'https://id.example.com', subject: '1', person_id: elsewhere.id, created_at: 0 };
    await gateway.running.app.get(Database).db.insertInto('oidc_identity').values(identity).execute();
    const answers = [
      await ask('nobody@example.com'),
      await ask('gone@example.com'),
      await ask('elsewhere@example.com'),
      await ask('no address'),
      await ask('Ada@example.com', { host: 'evil.example', origin: 'http://evil.example' }),
    ];
    expect(answers.map(({ status, text, headers }) => [status, text, headers['set-cookie']])).toEqual(
      Array.from(answers, () => [204, '', undefined]),
    );
    await until(async () => mail.messages.length > 0, 'the message');
    const [message = ''] = mail.messages.map((text) => text.replace(/=\n/g, '').replaceAll('=3D', '='));
    expect(message).toMatch(/^To: ada@example\.com$/m);
    const [, token = ''] = /^https:\/\/gateway\.example\.com\/dashboard\/sign-in\?link=(sy-link-\w{32})$/m.exec(message) ?? [];
    const browser = new Browser(gateway.url);
    expect((await browser.post('session/link', { token })).body).toMatchObject({ user: { email: 'ada@example.com' } });
    expect((await browser.call('put', 'session/password', { password: PASSWORD })).status).toBe(200);
    expect(mail.messages).toHaveLength(1);
    const operator = await Administration.as(gateway.running, 'operator');
    expect(JSON.stringify((await operator.get('audit-log')).body)).toContain('POST /admin/v1/session/link-requests');
  });

  it('is asked to wait after three links, whoever they are', async () => {
    await insert('often@example.com', 'a hash');
    for (const email of ['often@example.com', 'nobody-often@example.com']) {
      const statuses = [];
      for (let nth = 0; nth < 4; nth++) statuses.push((await ask(email)).status);
      expect([email, statuses]).toEqual([email, [204, 204, 204, 429]]);
    }
  });

  it('is sent none where the configuration names no mail server, or no address of the pages', async () => {
    for (const dashboard of [{ public_url: 'https://gateway.example.com' }, { mail: { url: mail.url, from } }]) {
      const other = await Gateway.start({ dashboard });
      try {
        const browser = new Browser(other.url);
        expect((await browser.get('sign-in-options')).body).toMatchObject({ link_by_mail: false });
        expect((await browser.post('session/link-requests', { email: 'owner@localhost' })).status).toBe(404);
      } finally {
        await other.close();
      }
    }
  });
});

describe('A session', () => {
  const open = async (settings: Parameters<typeof Gateway.start>[0]) => {
    const gateway = await Gateway.start(settings);
    const owner = await gateway.running.app.get(PersonStore).withEmail('owner@localhost');
    const link = async () => (await gateway.running.app.get(SignInLinks).make(owner!.id)).token;
    return { gateway, link };
  };

  it('ends after a time without a request, and after its life', async () => {
    const { gateway, link } = await open({ dashboard: { session_idle: 600, session_lifetime: 1_500 } });
    try {
      const [busy, idle] = [new Browser(gateway.url), new Browser(gateway.url)];
      for (const one of [busy, idle]) expect((await one.post('session/link', { token: await link() })).status).toBe(200);
      const begun = Date.now();
      let status = 200;
      let lived = 0;
      let idled = 0;
      await until(async () => {
        ({ status } = await busy.get('session'));
        if (status === 200) lived = Date.now() - begun;
        return status === 401;
      }, 'the end of a session that is used');
      expect(lived).toBeGreaterThan(800);
      idled = (await idle.get('session')).status;
      expect(idled).toBe(401);
    } finally {
      await gateway.close();
    }
  });

  it('has a cookie that only this host can set, by TLS, where the public address or a trusted proxy says so', async () => {
    const cases: [Parameters<typeof Gateway.start>[0], Record<string, string>][] = [
      [{ server: { public_url: 'https://gateway.example.com' } }, { origin: 'https://gateway.example.com' }],
      [{ server: { trusted_proxies: ['127.0.0.1'] } }, { 'x-forwarded-proto': 'https', host: 'gw.example', origin: 'https://gw.example' }],
    ];
    for (const [settings, headers] of cases) {
      const { gateway, link } = await open(settings);
      try {
        const browser = new Browser(gateway.url);
        const answer = await browser.call('post', 'session/link', { token: await link() }, headers);
        expect(answer.status).toBe(200);
        expect(browser.lastSetCookie).toMatch(/^__Host-switchyard_session=[^;]+; Path=\/; Max-Age=604800; HttpOnly; SameSite=Lax; Secure$/);
        expect((await browser.call('get', 'session', undefined, headers)).status).toBe(200);
        // Without its prefix anybody in the neighbourhood could have set it.
        const tossed = new Browser(gateway.url);
        tossed.setCookie('switchyard_session', browser.cookie('__Host-switchyard_session')!);
        expect((await tossed.call('get', 'session', undefined, headers)).status).toBe(401);
      } finally {
        await gateway.close();
      }
    }
  });

  it('does not believe a proxy that it does not trust', async () => {
    const { gateway, link } = await open({});
    try {
      const browser = new Browser(gateway.url);
      await browser.call('post', 'session/link', { token: await link() }, { 'x-forwarded-proto': 'https' });
      expect(browser.lastSetCookie).not.toContain('Secure');
    } finally {
      await gateway.close();
    }
  });
});

const bigints = (_name: string, value: unknown): unknown => (typeof value === 'bigint' ? String(value) : value);
