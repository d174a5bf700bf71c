import { rm } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { createApp, listen } from '../src/app.setup.js';
import { ManualClock } from '../src/common/testing/manual-clock.js';
import { Database } from '../src/database/database.js';
import { PersonStore } from '../src/people/person-store.js';
import { SignInLinks } from '../src/people/sign-in/sign-in-links.js';
import { Administration } from './support/administration.js';
import { Browser } from './support/browser.js';
import { describeSharedGateways } from './support/describe-gateways.js';
import { Gateway } from './support/gateway.js';
import { People, refusal } from './support/people.js';
import { useGateway } from './support/started.js';
import { until } from './support/until.js';

describe('People in their session', () => {
  const gateway = useGateway(() => Gateway.start());
  const people = new People(gateway);

  const app = () => gateway.running.app;
  const store = () => app().get(Database).db;

  it('may change nothing without its token, or from another origin', async () => {
    const browser = await people.somebody('csrf@example.com');
    const change = (headers: Readonly<Record<string, string>>) => browser.call('patch', 'session/user', { name: 'New' }, headers);
    expect(await change({ 'x-csrf-token': '' })).toEqual(refusal(403, 'permission_denied'));
    expect(await change({ 'x-csrf-token': 'f'.repeat(64) })).toEqual(refusal(403, 'permission_denied'));
    const other = await people.somebody('csrf2@example.com');
    expect(await change({ 'x-csrf-token': other.csrfToken! })).toEqual(refusal(403, 'permission_denied'));
    expect(await change({ origin: 'https://evil.example' })).toEqual(refusal(403, 'permission_denied'));
    expect(await change({ origin: 'null' })).toEqual(refusal(403, 'permission_denied'));
    expect((await browser.get('session')).body).toMatchObject({ user: { name: 'Somebody' } });
    expect([(await change({})).status, (await browser.get('session')).body]).toMatchObject([200, { user: { name: 'New' } }]);
  });

  it('are not signed in by a page of another origin', async () => {
    const link = await people.linkFor('csrf@example.com');
    const victim = new Browser(gateway.url);
    expect(await victim.call('post', 'session/link', { token: link }, { origin: 'https://evil.example' })).toEqual(
      refusal(403, 'permission_denied'),
    );
    const form = await victim.call('post', 'session/link', undefined, { 'content-type': 'text/plain' });
    expect(form.status).toBe(415);
    expect((await victim.post('session/link', { token: link })).status).toBe(200);
  });

  it('do not keep one that somebody else has planted', async () => {
    const attacker = await people.somebody('attacker@example.com');
    const victim = new Browser(gateway.url);
    victim.setCookie('switchyard_session', attacker.cookie()!);
    expect((await victim.post('session/link', { token: await people.linkFor('csrf@example.com') })).status).toBe(200);
    expect(victim.cookie()).not.toBe(attacker.cookie());
    expect((await victim.get('session')).body).toMatchObject({ user: { email: 'csrf@example.com' } });
    // The planted one has ended.
    expect(await attacker.get('session')).toEqual(refusal(401, 'invalid_session'));
    victim.setCookie('switchyard_session', 'sy-session-00000000000000000000000000000000');
    expect(await victim.get('session')).toEqual(refusal(401, 'invalid_session'));
  });

  it('see where they are signed in, and sign out there and here', async () => {
    const browser = await people.somebody('where@example.com');
    const other = await people.signedIn(await people.linkFor('where@example.com'));
    const { body } = await browser.get('session/sessions');
    const list = (body as { data: { id: string; current: boolean }[] }).data;
    expect(list).toMatchObject([{ current: false, opened_by: 'link' }, { current: true }]);
    const stranger = await people.somebody('stranger@example.com');
    expect(await stranger.call('delete', `session/sessions/${list[0]!.id}`)).toEqual(refusal(404, 'not_found'));
    expect((await browser.call('delete', `session/sessions/${list[0]!.id}`)).status).toBe(200);
    expect(await other.get('session')).toEqual(refusal(401, 'invalid_session'));
    expect((await browser.call('delete', 'session')).status).toBe(204);
    expect(browser.cookies).toBe('');
    expect(await browser.get('session')).toEqual(refusal(401, 'missing_api_key'));
  });

  it('have twenty of them at most', async () => {
    const first = await people.somebody('many@example.com');
    for (let more = 0; more < 20; more++) await people.signedIn(await people.linkFor('many@example.com'));
    expect(await first.get('session')).toEqual(refusal(401, 'invalid_session'));
    const open = await store().selectFrom('session').select('id').where('ended_at', 'is', null).where('person_id', 'in', (select) => select.selectFrom('person').select('id').where('email', '=', 'many@example.com')).execute(); // prettier-ignore
    expect(open).toHaveLength(20);
  });

  it('are out at once when they are disabled', async () => {
    const browser = await people.somebody('gone@example.com');
    const person = await app().get(PersonStore).withEmail('gone@example.com');
    await app().get(PersonStore).change(person!.id, { disabled: true });
    expect(await browser.get('session')).toEqual(refusal(401, 'invalid_session'));
    expect(await new Browser(gateway.url).post('session/link', { token: await people.linkFor('gone@example.com') })).toEqual(
      refusal(401, 'invalid_credentials'),
    );
  });

  it('open nothing below /v1 by their cookie, and a token opens no session', async () => {
    const browser = await people.somebody('v1@example.com');
    expect(await browser.get('/v1/models')).toEqual(refusal(401, 'missing_api_key'));
    const operator = await Administration.as(gateway.running, 'operator');
    const { status } = await operator.get('session');
    expect(status).toBe(403);
  });

  it('are named in the audit log', async () => {
    const browser = await people.somebody('audited@example.com');
    await browser.call('patch', 'session/user', { name: 'Audited' });
    const operator = await Administration.as(gateway.running, 'operator');
    const { body } = await operator.get('audit-log');
    expect((body as { data: object[] }).data.slice(0, 2)).toMatchObject([
      { actor_kind: 'user', actor_email: 'audited@example.com', role: null, action: 'PATCH /admin/v1/session/user', fields: ['name'] },
      { actor_kind: 'user', actor_email: 'audited@example.com', action: 'POST /admin/v1/session/link', address: '127.0.0.1' },
    ]);
  });
});

/** The same browser at another gateway. */
function continued(browser: Browser, url: string): Browser {
  const elsewhere = new Browser(url);
  elsewhere.setCookie('switchyard_session', browser.cookie()!);
  return elsewhere;
}

describe('A session', () => {
  const open = async (settings: Parameters<typeof Gateway.start>[0], clock?: ManualClock) => {
    const gateway = await Gateway.start(settings, undefined, clock);
    const owner = await gateway.running.app.get(PersonStore).withEmail('owner@localhost');
    const link = async () => (await gateway.running.app.get(SignInLinks).make(owner!.id)).token;
    return { gateway, link };
  };

  it('ends after a time without a request, and after its life', async () => {
    const clock = ManualClock.running();
    const hour = 3_600_000;
    const { gateway, link } = await open({ dashboard: { session_idle: 2 * hour, session_lifetime: 5 * hour } }, clock);
    try {
      const [busy, idle] = [new Browser(gateway.url), new Browser(gateway.url)];
      for (const one of [busy, idle]) expect((await one.post('session/link', { token: await link() })).status).toBe(200);
      for (let hours = 1; hours < 5; hours++) {
        await clock.leap(hour);
        expect((await busy.get('session')).status).toBe(200);
      }
      expect((await idle.get('session')).status).toBe(401);
      await clock.leap(hour);
      expect((await busy.get('session')).status).toBe(401);
    } finally {
      await gateway.close();
    }
  });

  it('has a cookie that only this host can set, by TLS, where the public address or a trusted proxy says so', async () => {
    const cases: [Parameters<typeof Gateway.start>[0], Record<string, string>][] = [
      [{ server: { public_url: 'https://gateway.example.com' } }, { origin: 'https://gateway.example.com' }],
      [{ dashboard: { public_url: 'https://pages.example.com' } }, { origin: 'https://pages.example.com' }],
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

  it('needs no TLS where the pages have an address of their own without it', async () => {
    const { gateway, link } = await open({
      server: { public_url: 'https://api.example.com' },
      dashboard: { public_url: 'http://pages.internal:9090' },
    });
    try {
      const browser = new Browser(gateway.url);
      const signIn = async (headers = {}) => browser.call('post', 'session/link', { token: await link() }, headers);
      expect((await signIn()).status).toBe(200);
      expect(browser.lastSetCookie).toMatch(/^switchyard_session=/);
      expect(browser.lastSetCookie).not.toContain('Secure');
      expect((await signIn({ origin: 'http://pages.internal:9090' })).status).toBe(200);
      expect(await signIn({ origin: 'https://api.example.com' })).toEqual(refusal(403, 'permission_denied'));
    } finally {
      await gateway.close();
    }
  });

  it('is known by its cookie to the gateway that is started again on its store', async () => {
    const { gateway, link } = await open({});
    const { app, config } = gateway.running;
    const browser = new Browser(gateway.url);
    await browser.post('session/link', { token: await link() });
    await app.close();
    const again = await createApp(config);
    try {
      await listen(again, config.server);
      const later = continued(browser, `http://127.0.0.1:${(again.getHttpServer().address() as AddressInfo).port}`);
      expect(await later.get('session')).toMatchObject({ status: 200, body: { user: { email: 'owner@localhost' } } });
      const asBefore = { 'x-csrf-token': browser.csrfToken! };
      expect((await later.call('patch', 'session/user', { name: 'The same' }, asBefore)).status).toBe(200);
    } finally {
      await again.close();
      await rm(config.store.data_dir, { recursive: true });
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

describeSharedGateways('A session at several gateways', (start) => {
  it('is known by its cookie to all that share the store, and ends at all of them', async () => {
    const [one, two] = [await start(), await start()];
    try {
      const here = await new People(one).somebody('everywhere@example.com');
      const there = continued(here, two.url);
      await until(async () => (await there.get('session')).status === 200, 'the session at the other');
      expect((await there.get('session')).body).toMatchObject({ user: { email: 'everywhere@example.com' } });
      const fromHere = { 'x-csrf-token': here.csrfToken! };
      expect((await there.call('patch', 'session/user', { name: 'Everywhere' }, fromHere)).status).toBe(200);
      expect((await there.call('delete', 'session')).status).toBe(204);
      await until(async () => (await here.get('session')).status === 401, 'the end of the session');
    } finally {
      await two.close();
      await one.close();
    }
  });
});
