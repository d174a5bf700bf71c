import type { Page } from 'playwright-core';
import type { Administration } from '../support/administration.js';
import { describeChromium, seriousViolations } from '../support/chromium.js';
import { DashboardWalk } from '../support/dashboard-walk.js';
import { freePort } from '../support/free-port.js';
import { longForm, someOf } from '../support/long-form.js';
import { MailServer } from '../support/mail-server.js';
import { until } from '../support/until.js';

const WRONG = 'This did not work';
const BELOW = 'When less than so many credits are left';

describeChromium('What the dashboard shows beside its best days', () => {
  let mail: MailServer;
  let walk: DashboardWalk;
  let operator: Administration;
  let page: Page;
  /** The address of the account's pages. */
  let account: string;
  /** The same account in the administration API. */
  let inApi: string;

  beforeAll(async () => {
    mail = await new MailServer().start();
    const port = await freePort();
    const sender = { url: mail.url, from: 'gateway@example.com' };
    const dashboard = { allow_private_addresses: true, public_url: `http://127.0.0.1:${port}`, mail: sender };
    walk = await DashboardWalk.start({ dashboard }, { PORT: String(port) });
    page = await walk.open(/status of (401|500)/);
    account = await walk.signInFirst(page);
    operator = await walk.operator();
    inApi = `accounts/${account.split('/').at(-1)}`;
    const { body } = await operator.post(`${inApi}/keys`, { label: 'Kept', environment: 'live' }).expect(200);
    const asked = await fetch(`${walk.url}/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${(body as { key: string }).key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'sandbox-chat', messages: [{ role: 'user', content: 'Say hello.' }] }),
    });
    expect(asked.status).toBe(200);
    await until(async () => (await operator.get(`${inApi}/requests`)).text.includes('sandbox-chat'), 'the record');
  });
  afterAll(async () => {
    await walk.stop();
    await mail.stop();
  });
  afterEach(() => expect(walk.wrong).toEqual([]));

  const operate = (name: string) => `${walk.origin}/dashboard/operate/${name}`;
  const go = async (address: string) => {
    await page.goto(address);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await walk.settled(page);
  };
  /** Has the gateway fail to answer calls that read. */
  const fail = (calls: RegExp, where = page) =>
    where.route(calls, (route) =>
      route.request().method() === 'GET' ? route.fulfill({ status: 500, json: { error: { message: 'Not now.' } } }) : route.fallback(),
    );
  const loaded = () => page.getByRole('status', { name: 'Loading' }).first().waitFor({ state: 'detached' });
  const tile = (name: string) => page.getByRole('group', { name, exact: true }).innerText();
  const stale = (where = page) =>
    where.getByRole('alert').filter({ hasText: /You see this as it was at \d.*The newest could not be had: Not now\./s });

  describe('where a form is refused', () => {
    interface Form {
      /** Its page, and the button that opens it. */
      readonly at: string;
      readonly opens?: string;
      readonly fields: Readonly<Record<string, string>>;
      readonly sends: string;
      readonly bad: string;
    }
    const forms: Form[] = [
      { at: 'keys', opens: 'Create key', fields: {}, sends: 'Create key', bad: 'Name' },
      { at: 'members', opens: 'Invite', fields: { 'E-mail': 'ada' }, sends: 'Invite', bad: 'E-mail' },
      { at: 'members/tokens', opens: 'Create token', fields: {}, sends: 'Create token', bad: 'Name' },
      { at: 'credits', opens: 'Add an alert', fields: { Address: 'nowhere' }, sends: 'Add', bad: 'Address' },
      { at: 'credits', opens: 'Grant credits', fields: { Credits: 'a few' }, sends: 'Grant', bad: 'Credits' },
      { at: 'credits', fields: { [BELOW]: 'a few' }, sends: 'Mail me', bad: BELOW },
      { at: '../../operate/organisations', opens: 'New organisation', fields: { Name: 'One', Id: '-' }, sends: 'Create', bad: 'Id' },
      { at: '../../operate/providers', opens: 'Add provider', fields: { Id: 'one', Address: 'nowhere' }, sends: 'Test', bad: 'Address' },
      { at: '../../operate/routing', fields: {}, sends: 'Where would it go?', bad: 'Model' },
      { at: '../../you', fields: { Name: '' }, sends: 'Save the name', bad: 'Name' },
      { at: '../../you', fields: { 'Current password': 'one', 'New password': 'two' }, sends: 'Change the password', bad: 'New password' },
    ];

    it.each(someOf(forms, 3))('$at shows and focuses the first bad field of $sends', async ({ at, opens, fields, sends, bad }) => {
      await go(new URL(`${account}/${at}`).href);
      if (opens !== undefined) await page.getByRole('button', { name: opens, exact: true }).first().click();
      const form =
        opens === undefined ? page.locator('form').filter({ has: page.getByRole('button', { name: sends }) }) : page.getByRole('dialog');
      for (const [label, value] of Object.entries(fields)) await form.getByLabel(label, { exact: true }).fill(value);
      await form.getByRole('button', { name: sends, exact: true }).click();
      await form.getByLabel(bad, { exact: true }).and(page.locator('[aria-invalid=true]:focus')).waitFor();
    });

    it('what is folded away opens', async () => {
      await go(operate('routing'));
      const more = page.getByRole('button', { name: 'Headers and whole body' });
      await more.click();
      await page.getByLabel('Whole body').fill('{');
      await more.click();
      await page.getByLabel('Whole body').waitFor({ state: 'hidden' });
      await page.getByRole('button', { name: 'Where would it go?' }).click();
      await page.getByLabel('Whole body').and(page.locator('[aria-invalid=true]:focus')).waitFor();
    });
  });

  describe('where the gateway fails', () => {
    const ofAccount = /\/admin\/v1\/(accounts\/[^/]+|session\/sessions)(\/|$|\?)/;
    const names = ['overview', 'keys', 'requests', 'models', 'playground', 'credits', 'members', 'members/tokens', 'audit', '../../you'];

    it.each(someOf(names, 3))('%s says so, and can be tried again', async (name) => {
      await fail(ofAccount);
      await go(new URL(`${account}/${name}`).href);
      await page.getByText(WRONG).first().waitFor();
      await loaded();
      expect(await page.getByRole('alert').first().innerText()).toContain('Not now.');
      expect(await seriousViolations(page)).toEqual([]);
      await page.unroute(ofAccount);
      const again = page.getByRole('button', { name: 'Try again' });
      const alerts = await page.getByText(WRONG).count();
      expect(await again.count()).toBe(alerts);
      for (let last = alerts - 1; last >= 0; last--) {
        await again.nth(last).click();
        await again.nth(last).waitFor({ state: 'detached' });
      }
      await loaded();
      expect(await page.getByText(WRONG).count()).toBe(0);
    });

    it('tiles of credits are not 0 and not waited for', async () => {
      const labels = ['To spend', 'Held', 'Charged this month', 'Saved by caching'];
      await fail(/\/credits\/statement/);
      await page.route(/\/v1\/.*\/credits$/, (route) => route.fulfill({ json: { object: 'list', data: [], next: null } }));
      await go(`${account}/credits`);
      await loaded();
      for (const label of labels) expect(await tile(label)).toMatch(new RegExp(`^${label}\\s+–\\s+not known now$`));
      await page.unrouteAll();
    });

    it('the balance over time leaves the other charts alone', async () => {
      const series = /\/credits\/series/;
      await fail(series);
      await go(`${account}/overview`);
      await page.getByRole('radiogroup', { name: 'Environment' }).getByText('Live').click();
      const panel = (name: string) => page.getByRole('region', { name, exact: true });
      await panel('Spend').getByRole('img', { name: 'Spend over time' }).waitFor();
      await panel('Balance').getByText('Not now.').waitFor();
      expect(await page.getByText(WRONG).count()).toBe(1);
      await page.unroute(series);
      await panel('Balance').getByRole('button', { name: 'Try again' }).click();
      await panel('Balance').getByRole('img', { name: 'Balance over time' }).waitFor();
      expect(await page.getByText(WRONG).count()).toBe(0);
    });

    it('a live page keeps what it had, says of when it is, and recovers by itself', async () => {
      const live = await walk.beside(page, {}, /status of 500/);
      await live.clock.install();
      await live.goto(operate('gateways'));
      const row = live.getByRole('row', { name: /Answers you.*Alive/ });
      await row.waitFor();
      let calls = 0;
      const gateways = /\/admin\/v1\/gateways/;
      live.on('request', (request) => (calls += Number(gateways.test(request.url()))));
      await fail(gateways, live);
      await walk.timePasses(live, () => stale(live).isVisible(), 'the failure');
      expect(await row.isVisible()).toBe(true);
      expect(await seriousViolations(live)).toEqual([]);
      const before = calls;
      await walk.timePasses(live, () => calls >= before + 2, 'more looks');
      expect(await stale(live).isVisible()).toBe(true);
      await live.unroute(gateways);
      await walk.timePasses(live, async () => (await stale(live).count()) === 0, 'the newest');
      await row.waitFor();
      await live.context().close();
    });

    it('keys stay when they could not be loaded anew', async () => {
      await go(`${account}/keys`);
      await page.getByRole('row', { name: /^Kept/ }).waitFor();
      const keys = /\/v1\/.*\/keys\?/;
      await fail(keys);
      await page.getByRole('button', { name: 'Create key' }).click();
      await page.getByRole('dialog').getByLabel('Name').fill('Unseen');
      await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click();
      await page.getByRole('button', { name: 'I have saved it' }).click();
      await stale().waitFor();
      await page.getByRole('row', { name: /^Kept/ }).waitFor();
      await page.unroute(keys);
      await stale().getByRole('button', { name: 'Try again' }).click();
      await page.getByRole('row', { name: /^Unseen/ }).waitFor();
      expect(await stale().count()).toBe(0);
    });
  });

  describe('where there is nothing', () => {
    const nothing: [name: string, calls: RegExp, words: string][] = [
      ['keys', /\/v1\/.*\/keys\?/, 'No live keys in use'],
      ['requests', /\/v1\/.*\/requests\?/, 'No requests yet'],
      ['models', /\/v1\/.*\/models\?/, 'No models yet'],
      ['members', /\/v1\/.*\/members\?/, 'Nobody belongs to this account yet'],
      ['audit', /\/v1\/.*\/audit-log\?/, 'Nothing was changed yet'],
      ['operate/offers', /\/v1\/offers\?/, 'No offers'],
      ['operate/errors', /\/v1\/errors\?/, 'No errors'],
    ];

    it.each(someOf(nothing, 3))('%s says so', async (name, calls, words) => {
      await page.route(calls, (route) => route.fulfill({ json: { object: 'list', data: [], next: null } }));
      await go(name.startsWith('operate') ? `${walk.origin}/dashboard/${name}` : `${account}/${name}`);
      await page.getByRole('heading', { name: words, exact: true }).waitFor();
      expect(await page.getByRole('main').getByRole('alert').count()).toBe(0);
      expect(await seriousViolations(page)).toEqual([]);
      await page.unroute(calls);
    });
  });

  describe('for whoever uses no mouse', () => {
    const focused = () => page.evaluate<string>('document.activeElement.innerText || document.activeElement.id');
    /** Goes on until a control with such a text is reached. */
    const tabTo = async (text: RegExp) => {
      for (let tabs = 0; tabs < 60; tabs++) {
        await page.keyboard.press('Tab');
        if (text.test(await focused())) return;
      }
      throw new Error(`no Tab leads to ${text}`);
    };
    // While one dialog follows another, both are there for a moment.
    const closed = () => until(async () => (await page.getByRole('dialog').count()) === 0, 'the end of all dialogs');
    // A dialog gives the focus back a moment after it is gone.
    const back = (text: RegExp) => until(async () => text.test(await focused()), `the focus back at ${text}`);

    it('the navigation is skipped, and a key is made', async () => {
      await go(`${account}/keys`);
      await page.keyboard.press('Tab');
      expect(await focused()).toBe('Skip to content');
      await page.keyboard.press('Enter');
      expect(await page.evaluate<string>('document.activeElement.id')).toBe('content');
      await tabTo(/^Create key$/);
      await page.keyboard.press('Enter');
      await page.getByRole('dialog').getByLabel('Name').waitFor();
      await page.keyboard.press('Escape');
      await closed();
      await back(/^Create key$/);
      await page.keyboard.press('Enter');
      await page.locator('[role=dialog] input:focus').waitFor();
      await page.keyboard.type('By hand');
      await page.keyboard.press('Enter');
      await page.getByTestId('made-key').waitFor();
      await tabTo(/^I have saved it$/);
      await page.keyboard.press('Enter');
      await closed();
      await page.getByRole('row', { name: /^By hand/ }).waitFor();
      await back(/^Create key$/);
    });

    it('a request is opened, and closed where one was', async () => {
      await go(`${account}/requests`);
      await tabTo(/^Show the request of/);
      await page.keyboard.press('Enter');
      await page.getByRole('dialog', { name: 'Request' }).getByRole('heading', { name: 'sandbox-chat' }).waitFor();
      expect(new URL(page.url()).searchParams.get('environment')).toBe('live');
      await page.goBack();
      await closed();
      await page.getByRole('heading', { level: 1, name: 'Requests' }).waitFor();
      await back(/^Show the request of/);
      await page.keyboard.press('Enter');
      await page.getByRole('dialog', { name: 'Request' }).waitFor();
      await page.keyboard.press('Escape');
      await closed();
      await back(/^Show the request of/);
    });
  });

  it.each(['sign-in', 'sign-in?forgot', 'invitation'])('is usable by everybody at %s, of somebody not signed in', async (name) => {
    const somebody = await walk.open();
    let address = `${walk.origin}/dashboard/${name}`;
    if (name === 'invitation') {
      const invitation = { email: 'new@example.com', role: 'viewer' };
      ({ link: address } = (await operator.post(`${inApi}/invitations`, invitation).expect(200)).body as { link: string });
    }
    await walk.looksWell(somebody, address);
    const heading = { 'sign-in': 'Sign in', 'sign-in?forgot': 'Forgot your password?', invitation: /^Join / }[name]!;
    await somebody.getByRole('heading', { level: 1, name: heading }).waitFor();
    await somebody.context().close();
  });

  it('has its navigation on a phone', async () => {
    const phone = await walk.beside(page, { viewport: { width: 390, height: 844 } });
    await phone.goto(`${account}/keys`);
    const navigation = phone.getByRole('navigation', { name: 'Pages' });
    const open = phone.getByRole('button', { name: 'Open navigation' });
    const close = phone.getByRole('button', { name: 'Close navigation' });
    await open.click();
    await close.click();
    await open.click();
    await close.waitFor();
    await phone.keyboard.press('Escape');
    await open.click();
    await navigation.getByRole('link', { name: 'Models' }).click({ trial: true });
    expect(await seriousViolations(phone)).toEqual([]);
    await navigation.getByRole('link', { name: 'Models' }).click();
    await phone.getByRole('heading', { level: 1, name: 'Models' }).waitFor();
    await open.waitFor();
    await phone.goto(`${account}/requests`);
    await phone.getByRole('button', { name: /sandbox-chat/ }).click();
    const price = phone.getByRole('region', { name: 'Price' });
    for (const amount of await price.locator('tr > :last-child').all()) {
      const { x, width } = (await amount.boundingBox())!;
      expect(x + width).toBeLessThanOrEqual(390);
    }
    await phone.context().close();
  });

  it('is as light or dark as somebody chooses, also when they come back', async () => {
    await page.emulateMedia({ colorScheme: 'light' });
    await go(`${account}/keys`);
    const background = () => page.evaluate<string>('getComputedStyle(document.body).backgroundColor');
    const seen = new Set([await background()]);
    for (const [system, chosen] of [
      ['light', 'Dark'],
      ['dark', 'Light'],
    ] as const) {
      await page.emulateMedia({ colorScheme: system });
      await page.getByRole('button', { name: /preferences and sign out/ }).click();
      await page.getByRole('menuitemradio', { name: chosen }).click();
      const scheme = page.locator(`html[data-mantine-color-scheme=${chosen.toLowerCase()}]`);
      await scheme.waitFor();
      const shown = await background();
      seen.add(shown);
      await page.reload();
      await scheme.waitFor();
      // The attribute is there before the styles are.
      await page.getByRole('button', { name: /preferences and sign out/ }).waitFor();
      expect([chosen, await background()]).toEqual([chosen, shown]);
    }
    expect(seen.size).toBe(2);
  });

  const act = async (action: string) => {
    await page.getByRole('button', { name: 'Actions for Kept' }).first().click();
    await page.getByRole('menuitem', { name: action }).click();
  };
  const press = (name: string | RegExp) => page.getByRole('button', { name }).filter({ visible: true }).first().click();
  const opened: [what: string, where: string, open: () => Promise<void>][] = [
    ['what a new key is to be', 'keys', () => press('Create key')],
    [
      'a new key',
      'keys',
      async () => {
        await act('Rotate');
        await press('Make the new key');
        await page.getByTestId('made-key').waitFor();
      },
    ],
    ['the rotation of a key', 'keys', () => act('Rotate')],
    ['the revocation of a key', 'keys', () => act('Revoke')],
    ['a request', 'requests', () => press(/^Show the request of/)],
    ['a model', 'models', () => press('sandbox-chat')],
    ['a grant', 'credits', () => press('Grant credits')],
    ['an alert', 'credits', () => press('Add an alert')],
    ['an invitation', 'members', () => press('Invite')],
    ['the forms of an export', 'requests', () => press('Export')],
  ];

  const schemes = ['light', 'dark'];
  let turn = 0;
  it.each(someOf(opened, 2))('is usable by everybody where it shows %s', async (_what, where, open) => {
    for (const scheme of longForm ? schemes : [schemes[turn++ % schemes.length]!]) {
      await page.evaluate(`localStorage.setItem('mantine-color-scheme-value', '${scheme}')`);
      await go(`${account}/${where}`);
      await open();
      await page.getByRole('dialog').or(page.getByRole('menu')).last().waitFor();
      await loaded();
      expect([scheme, await seriousViolations(page)]).toEqual([scheme, []]);
    }
  });
});
