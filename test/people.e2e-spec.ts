import { FirstStart } from '../src/billing/first-start.js';
import { Database } from '../src/database/database.js';
import { FirstOwner } from '../src/people/first-owner.js';
import { MemberStore } from '../src/people/member-store.js';
import { PersonStore } from '../src/people/person-store.js';
import { Administration } from './support/administration.js';
import { Browser, type SessionBody } from './support/browser.js';
import { Gateway } from './support/gateway.js';
import { PASSWORD, People, refusal } from './support/people.js';
import { useGateway } from './support/started.js';

/** Writes no line of the audit log. */
const unwritten = async (): Promise<void> => {};

describe('People', () => {
  const gateway = useGateway(() => Gateway.start());
  const people = new People(gateway);

  const app = () => gateway.running.app;
  const store = () => app().get(Database).db;

  describe('the first one', () => {
    it('is an operator who owns the first account, and comes in by the link of the first start, once', async () => {
      const link = await people.linkFor('owner@localhost');
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
      expect(await app().get(FirstStart).seed()).toBeUndefined();
      const link = await people.linkFor('owner@localhost');
      expect(await people.stored('sign_in_link')).not.toContain(link);
    });

    it('may be seen to be there by everybody', async () => {
      const { status, body } = await new Browser(gateway.url).get('sign-in-options');
      expect([status, body]).toEqual([200, { password: true, oidc: [], link_by_mail: false, has_people: true }]);
    });
  });

  describe('with a password', () => {
    let browser: Browser;
    beforeAll(async () => {
      browser = await people.somebody('ada@example.com');
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

    it('sign in with an address that was stored before such ones were refused, and keep it', async () => {
      const old = await people.somebody('old@example.com');
      const { id } = ((await old.get('session')).body as SessionBody).user;
      expect((await old.call('put', 'session/password', { password: PASSWORD })).status).toBe(200);
      await store().updateTable('person').set({ email: 'o\ufb01d@example.com' }).where('id', '=', id).execute();
      expect((await signIn({ email: 'O\ufb01D@example.com', password: PASSWORD })).status).toBe(200);
      expect(await signIn({ email: 'ofid@example.com', password: PASSWORD })).toEqual(refusal(401, 'invalid_credentials'));
      const operator = await Administration.as(gateway.running, 'operator');
      await operator.patch(`users/${id}`, { email: 'o\ufb01d@example.com', name: 'Old' }).expect(200);
      await operator.patch(`users/${id}`, { email: 'o\ufb02d@example.com' }).expect(400);
    });

    it('get the same answer for a wrong password, an unknown address and one without a password', async () => {
      await people.somebody('none@example.com');
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
      const sessions = await people.stored('session');
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
          const known = await people.somebody(email);
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
      await people.signedIn(await people.linkFor('throttled@example.com'));
      expect((await signIn({ email: 'ada@example.com', password: 'another long one' })).status).toBe(200);
      const rows = await people.stored('sign_in_failure');
      expect(rows).not.toContain('example.com');
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

    it('are left alone by who has read them before they changed', async () => {
      const { accountId } = await gateway.newCustomer();
      const owner = await Administration.signedIn(gateway.running, 'owner', accountId);
      const { personId } = await Administration.signedIn(gateway.running, 'viewer', accountId);
      const path = `accounts/${accountId}/members/${personId}`;
      const { body, headers } = await owner.get(path).expect(200);
      expect([body, headers['etag']]).toMatchObject([{ role: 'viewer' }, `"${(body as { version: string }).version}"`]);
      const changed = await owner.patch(path, { role: 'admin' }, headers['etag']).expect(200);
      await owner.patch(path, { role: 'viewer' }, headers['etag']).expect(412);
      await owner.patch(path, { role: 'admin' }, headers['etag']).expect(412);
      await owner.call('delete', path, { ifMatch: headers['etag'] }).expect(412);
      // As between the read and the change of two requests that come together.
      await expect(app().get(MemberStore).changeRole(accountId, personId, 'viewer', { ifVersion: 0n })).resolves.toBe(false);
      expect((await owner.get(path).expect(200)).body).toEqual(changed.body);
      await owner.call('delete', path, { ifMatch: changed.headers['etag'] }).expect(200);
      await owner.get(path).expect(404);
    });

    it('stay signed in where another account is left, or where they are operators', async () => {
      const operator = await Administration.as(gateway.running, 'operator');
      const [{ accountId }, other] = [await gateway.newCustomer(), await gateway.newCustomer()];
      const both = await Administration.signedIn(gateway.running, 'developer', accountId);
      const boss = await Administration.signedIn(gateway.running, 'operator');
      await app()
        .get(Database)
        .change('person', async (trx, version) => {
          await app().get(MemberStore).put(trx, version, other.accountId, both.personId, 'viewer', unwritten);
          await app().get(MemberStore).put(trx, version, accountId, boss.personId, 'developer', unwritten);
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
          await app().get(MemberStore).put(trx, version, accountId, id, 'owner', unwritten);
        });
      const { body } = await viewer.get(`accounts/${accountId}/members`).expect(200);
      const seen = (body as { data: { user_id: string; last_seen_at: string | null }[] }).data;
      expect(seen).toMatchObject([{ last_seen_at: null }, { user_id: viewer.personId }]);
      expect(Math.abs(Date.parse(seen[1]!.last_seen_at!) - Date.now())).toBeLessThan(60_000);
    });

    it('are changed by operators alone beyond it, and may be let in by a link', async () => {
      const operator = await Administration.as(gateway.running, 'operator');
      const browser = await people.somebody('changed@example.com');
      const { id } = ((await browser.get('session')).body as SessionBody).user;
      const { body: user, headers } = await operator.get(`users/${id}`).expect(200);
      expect(user).toMatchObject({ email: 'changed@example.com', disabled: false, has_password: false });
      await operator.patch(`users/${id}`, { email: 'OWNER@localhost' }).expect(409);
      const toTheOldAddress = await people.linkFor('changed@example.com');
      await operator.patch(`users/${id}`, { email: 'Moved@example.com' }, headers['etag'] as string).expect(200);
      expect(await new Browser(gateway.url).post('session/link', { token: toTheOldAddress })).toEqual(refusal(401, 'invalid_credentials'));
      await operator.patch(`users/${id}`, { name: 'Late' }, headers['etag'] as string).expect(412);
      const { body: lines } = await operator.get('audit-log').expect(200);
      await operator.patch(`users/${id}`, { name: ' Somebody ' }).expect(200);
      expect((await browser.call('patch', 'session/user', { name: 'Somebody' })).status).toBe(200);
      expect((await operator.get('audit-log')).body).toEqual(lines);
      const { body } = await operator.post(`users/${id}/sign-in-links`).expect(200);
      const link = /\?link=([\w-]+)$/.exec((body as { link: string }).link)![1]!;
      expect((await (await people.signedIn(link)).get('session')).body).toMatchObject({ user: { email: 'moved@example.com' } });
      await operator.patch(`users/${id}`, { disabled: true }).expect(200);
      expect(await browser.get('session')).toEqual(refusal(401, 'invalid_session'));
      await operator.post(`users/${id}/sign-in-links`).expect(409);
      await operator.patch(`users/${id}`, { disabled: false }).expect(200);
      // What was open before stays closed.
      expect(await browser.get('session')).toEqual(refusal(401, 'invalid_session'));
    });
  });

  it('come in by links and invitations whoever of their network has guessed at some, which is counted', async () => {
    const stranger = new Browser(gateway.url);
    const forget = () => store().deleteFrom('sign_in_failure').execute();
    const guess = () => stranger.post('session/link', { token: 'sy-link-nothing' });
    await forget();
    for (let count = 0; count < 100; count++) expect((await guess()).status).toBe(401);
    expect(await guess()).toEqual(refusal(429, 'rate_limit_exceeded'));
    expect(await stranger.get('invitations/sy-invite-nothing')).toEqual(refusal(429, 'rate_limit_exceeded'));
    await people.signedIn(await people.linkFor('owner@localhost'));
    const operator = await Administration.as(gateway.running, 'operator');
    const { body } = await operator.post('operators/invitations', { email: 'welcome@example.com' }).expect(200);
    const token = (body as { link: string }).link.split('/').at(-1)!;
    expect((await stranger.get(`invitations/${token}`)).status).toBe(200);
    await forget();
  });

  it('are strangers with one small body each, and a bounded number of requests', async () => {
    const browser = new Browser(gateway.url);
    expect((await browser.post('session', { email: 'a@b', password: 'x'.repeat(20_000) })).status).toBe(413);
  });
});
