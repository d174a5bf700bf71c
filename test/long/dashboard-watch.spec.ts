import type { Page, Route } from 'playwright-core';
import { describeChromium, seriousViolations } from '../support/chromium.js';
import { DashboardWalk } from '../support/dashboard-walk.js';
import { someOf } from '../support/long-form.js';

/** Bytes of everything that a browser loads for a page, as they are sent. */
const MAX_FIRST_LOAD = 250_000;

/** Of the page; browsers call less than 0.1 good. */
const MAX_MOVED = 0.05;

interface Offer {
  performance: object;
  status: object;
  this_process: { breaker: object };
  traffic: object;
}

describeChromium('What operators watch', () => {
  let walk: DashboardWalk;
  let page: Page;
  let account: string;

  beforeAll(async () => {
    walk = await DashboardWalk.start();
    page = await walk.open();
    account = await walk.signInFirst(page);
  });
  afterAll(() => walk.stop());
  afterEach(() => expect(walk.wrong).toEqual([]));

  const row = (name: RegExp, where = page) => where.getByRole('row', { name });
  /** Changes what the gateway answers on its way to the page. */
  const answered =
    <T>(change: (data: T[]) => void) =>
    async (route: Route) => {
      const response = await route.fetch();
      const body = (await response.json()) as { data: T[] };
      change(body.data);
      await route.fulfill({ response, json: body });
    };

  it('are offers, with why the breaker keeps one out and its share of the traffic, as they change', async () => {
    const live = await walk.beside(page);
    await live.clock.install();
    await live.goto(`${walk.origin}/dashboard/operate/offers`);
    await row(/In service/, live)
      .first()
      .waitFor();
    expect(await row(/Breaker/, live).count()).toBe(0);
    const breaker = { state: 'closed', reason: null, retry_at: null, paused_accounts: 0 };
    const changes = [
      { breaker: { ...breaker, state: 'open', reason: 'failures', retry_at: new Date(Date.now() + 60_000).toISOString() } },
      { breaker: { ...breaker, state: 'half_open' } },
      { breaker: { ...breaker, paused_accounts: 2 } },
      { breaker, traffic: { calls: 3, share: 0.75 } },
      { breaker, traffic: { calls: 4, share: 1 }, uptime: 50 },
    ];
    const change = answered<Offer>((offers) => {
      for (const [index, { breaker: state, traffic, uptime }] of changes.entries()) {
        const offer = offers[index]!;
        Object.assign(offer, { status: { active: true, message: null }, ...(traffic && { traffic }) });
        Object.assign(offer.this_process.breaker, state);
        if (uptime !== undefined) Object.assign(offer.performance, { uptime_percentage: uptime });
      }
    });
    await live.route(/admin\/v1\/offers/, change);
    // Nobody does anything meanwhile.
    const open = row(/Breaker open.*several organisations met failures; tried again/, live);
    await walk.timePasses(live, () => open.isVisible(), 'the open breaker');
    await row(/Breaker half open.*Some requests try/, live).waitFor();
    await row(/Paused for 2 organisations/, live).waitFor();
    await row(/75%.*3 calls/, live).waitFor();
    await row(/Failing.*50% of its calls have failed/, live).waitFor();
    await live.getByRole('progressbar', { name: '75% of the calls of the model' }).waitFor({ state: 'attached' });
    expect(await seriousViolations(live)).toEqual([]);
    await live.context().close();
  });

  it('are gateways, with those that are not alive', async () => {
    const change = answered<{ id: string; host: string; alive: boolean; this_process: boolean }>((gateways) =>
      gateways.push({ ...gateways[0]!, id: 'another', host: 'elsewhere', alive: false, this_process: false }),
    );
    await page.route(/admin\/v1\/gateways/, change);
    await page.goto(`${walk.origin}/dashboard/operate/gateways`);
    await row(/elsewhere.*Not alive/).waitFor();
    await row(/Answers you.* Alive/).waitFor();
    expect(await page.getByRole('group', { name: 'Alive', exact: true }).innerText()).toMatch(/\s1\s+of 2 in the last hour/);
    expect(await seriousViolations(page)).toEqual([]);
    await page.unroute(/admin\/v1\/gateways/, change);
  });

  it('are organisations, which get other names', async () => {
    await page.goto(`${walk.origin}/dashboard/operate/organisations`);
    await page.getByRole('button', { name: 'Actions for starter', exact: true }).click();
    await page.getByRole('menuitem', { name: 'Rename' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('The first');
    expect(await seriousViolations(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByText('It has its new name.').waitFor();
    await row(/^The first/).waitFor();
  });

  it('stand in rows of 40 pixels, which look so where a click or Enter opens them', async () => {
    const wide = await walk.beside(page, { viewport: { width: 1440, height: 900 } });
    for (const name of ['models', '../../operate/organisations', '../../operate/models', '../../operate/offers']) {
      await wide.goto(new URL(`${account}/${name}`).href);
      const first = wide.getByRole('table').getByRole('row').nth(1);
      await first.waitFor();
      const opens = !name.endsWith('offers');
      const cursor = await wide.evaluate<string>("getComputedStyle(document.querySelector('tbody tr')).cursor");
      const { height } = (await first.boundingBox())!;
      expect([name, cursor, Math.floor(height / 2) * 2]).toEqual([name, opens ? 'pointer' : 'auto', 40]);
      if (!opens) continue;
      await first.getByRole('button').first().press('Enter');
      await wide.getByRole('dialog').waitFor();
      await wide.keyboard.press('Escape');
      await wide.getByRole('dialog').waitFor({ state: 'hidden' });
      await first.click();
      await wide.getByRole('dialog').waitFor();
    }
    await wide.context().close();
  });

  it('are reached by a menu that is seen whole, and what is chosen beside it counts', async () => {
    const wide = await walk.beside(page, { viewport: { width: 1440, height: 900 } });
    const has = async (name: string) => {
      await wide.goto(new URL(`${account}/${name}`).href);
      await wide.getByRole('heading', { level: 1 }).waitFor();
      const environment = await wide.getByRole('radiogroup', { name: 'Environment' }).count();
      return [name, environment, await wide.getByRole('button', { name: /^Account / }).count()];
    };
    for (const name of ['overview', 'keys', 'requests', 'playground', 'credits']) expect(await has(name)).toEqual([name, 1, 1]);
    for (const name of ['models', 'members', 'audit']) expect(await has(name)).toEqual([name, 0, 1]);
    for (const name of ['../../operate/offers', '../../you']) expect(await has(name)).toEqual([name, 0, 0]);
    const scrolled = `[...document.querySelectorAll('aside *')].filter(({ scrollHeight, clientHeight }) => scrollHeight > clientHeight + 1 && clientHeight > 200).length`;
    expect(await wide.evaluate<number>(scrolled)).toBe(0);
    await wide.context().close();
  });

  const operated = ['organisations', 'providers', 'offers', 'models', 'routing', 'errors', 'gateways', 'configuration', 'audit'];

  it.each(someOf([...operated.map((name) => `../../operate/${name}`), 'members', 'members/tokens', 'audit', '../../you'], 4))(
    'is there with 250 KB at most, and moves little while it comes: %s',
    async (name) => {
      const fresh = await walk.beside(page);
      const { bytes, moved } = await walk.firstLoad(fresh, new URL(`${account}/${name}`).href);
      expect([name, bytes]).toEqual([name, Math.min(bytes, MAX_FIRST_LOAD)]);
      expect([name, moved]).toEqual([name, Math.min(moved, MAX_MOVED)]);
      await fresh.context().close();
    },
  );
});
