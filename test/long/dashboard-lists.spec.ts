import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Page, Route } from 'playwright-core';
import { describeChromium } from '../support/chromium.js';
import { DashboardWalk } from '../support/dashboard-walk.js';
import { seedLists } from '../support/seed-lists.js';
import { someOf } from '../support/long-form.js';
import { until } from '../support/until.js';

const PAGE = 50;
const KEYS = 1_001;
const OTHERS = 60;

/** What is said below the names of rows, where one cannot read all of it. */
const CUT = `[...document.querySelectorAll('td [class*=detail]')]
  .filter(({ scrollWidth, clientWidth, scrollHeight, clientHeight }) => scrollWidth > clientWidth || scrollHeight > clientHeight + 1)
  .map(({ textContent }) => textContent)`;

describeChromium('Lists of more than a page, in the dashboard', () => {
  let walk: DashboardWalk;
  let page: Page;
  let account: string;
  let path: string;

  beforeAll(async () => {
    const terms = { pricing: { prompt: 1, completion: 1 }, context_length: 1_000, max_tokens: 100 };
    const models = Object.fromEntries(Array.from({ length: OTHERS }, (_, nth) => [`model-${nth + 101}`, terms]));
    walk = await DashboardWalk.start({
      limits: { keys_per_account: KEYS + 10 },
      providers: { vendor: { base_url: 'http://127.0.0.1:9/v1', api_key: 'none', models } },
    });
    page = await walk.open();
    account = await walk.signInFirst(page);
    path = new URL(account).pathname.replace('/dashboard/', '');
    const id = path.split('/')[1];
    const store = new DatabaseSync(join(walk.program, 'data/switchyard.db'), { timeout: 10_000 });
    const lists = { keys: KEYS, accounts: OTHERS, projects: OTHERS, people: OTHERS, requests: 0 };
    for (const statement of seedLists(id!, lists)) store.exec(statement);
    store.close();
    await page.getByText('Live', { exact: true }).click();
  });
  afterAll(() => walk.stop());
  afterEach(() => expect(walk.wrong).toEqual([]));

  const table = (name: string) => page.getByRole('table', { name }).getByRole('row');
  /** The name of the first one: what else the row says may come later. */
  const firstOf = async (name: string) => (await table(name).nth(1).innerText()).trim().split(/[\n\t]/)[0];
  const rows = (name: string, count: number) => until(async () => (await table(name).count()) === count + 1, `${count} rows`);
  const inAddress = (name: string) => new URL(page.url()).searchParams.get(name);
  const choose = async (label: string, typed: string, option: string) => {
    const field = page.getByRole('combobox', { name: label, exact: true }).last();
    await field.click();
    await until(async () => (await page.getByRole('option').count()) > 0, 'what can be chosen');
    expect(await page.getByRole('option').count()).toBeLessThanOrEqual(20);
    await field.fill(typed);
    await page.getByRole('option', { name: option, exact: true }).click();
  };

  const lists: [title: string, name: string, label: string, search: string, found: number, one: string][] = [
    ['API keys', 'Keys', 'Find by name or key', 'KEY 77', 11, 'key'],
    ['Members', 'Members', 'Find by name or address', 'MEMBER-0005', 10, 'member'],
    ['Models', 'Models', 'Find a model or provider', 'MODEL-15', 10, 'model'],
    ['Organisations', 'Organisations', 'Find by name or id', 'SEEDED 5', 11, 'organisation'],
    ['Model switches', 'Models', 'Find a model or provider', 'MODEL-15', 10, 'model'],
  ];
  it.each(someOf(lists, 2))(
    '%s: a page of them, the next one and back, by keys alone, and what is searched for',
    async (title, name, label, search, found, one) => {
      await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: title }).click();
      await rows(name, PAGE);
      const first = await firstOf(name);
      await page.getByRole('button', { name: 'Next page' }).press('Enter');
      await until(async () => (await firstOf(name)) !== first, 'the next page');
      const second = await firstOf(name);
      expect(inAddress('after')).not.toBeNull();
      // The list has the focus: the next key goes on from its beginning.
      expect(await page.evaluate(`document.activeElement.contains(document.querySelector('table[aria-label="${name}"]'))`)).toBe(true);
      await page.reload();
      await until(async () => (await table(name).count()) > 1 && (await firstOf(name)) === second, 'the page of before');
      await page.goBack();
      await until(async () => (await firstOf(name)) === first, 'the first page');
      await page.goForward();
      await until(async () => (await firstOf(name)) === second, 'the next page');
      await page.getByRole('button', { name: 'Previous page' }).click();
      await until(async () => (await firstOf(name)) === first, 'the first page');
      await page.goForward();

      await page.getByLabel(label).fill(search);
      await until(() => inAddress('search') === search, 'the search in the address');
      await rows(name, found);
      expect(inAddress('after')).toBeNull();
      await page.reload();
      await rows(name, found);
      expect(await page.getByLabel(label).inputValue()).toBe(search);
      await page.getByLabel(label).fill('there is no such thing');
      await page.getByRole('heading', { name: `No ${one} matches` }).waitFor();
      await page.goBack();
      await until(async () => (await page.getByLabel(label).inputValue()) === '', 'the field as the page before had it');
      await rows(name, PAGE);
    },
  );

  it('shows a page whose code was loaded just now without waiting for any time to pass', async () => {
    const other = await walk.beside(page);
    await other.clock.install();
    await other.goto(`${account}/credits`);
    await other.getByRole('heading', { name: 'Credits', level: 1 }).waitFor();
    await walk.settled(other);
    await other.clock.pauseAt(Date.now() + 60_000);
    await other.getByRole('link', { name: 'API keys' }).click();
    await until(async () => {
      // What is due at once, such as what a query has to say.
      await other.clock.runFor(0);
      return (await other.getByRole('table', { name: 'Keys' }).count()) > 0;
    }, 'the keys');
    await other.context().close();
  });

  it('shows no ids of projects while their names are asked for', async () => {
    const asked = Promise.withResolvers<void>();
    const hold = async (route: Route) => asked.promise.then(() => route.continue());
    await page.route(/\/projects\?.*ids=/, hold);
    await page.goto(`${account}/keys`);
    await rows('Keys', PAGE);
    expect(await page.getByRole('table', { name: 'Keys' }).innerText()).not.toContain('project-');
    await table('Keys').getByText('in …').first().waitFor();
    asked.resolve();
    await table('Keys')
      .getByText(/in Project \d/)
      .first()
      .waitFor();
    await page.unroute(/\/projects\?.*ids=/, hold);
  });

  it('asks when typing has paused, once', async () => {
    await page.goto(`${account}/keys`);
    await rows('Keys', PAGE);
    const asked: string[] = [];
    page.on('request', (request) => {
      const search = new URL(request.url()).searchParams.get('search');
      if (request.url().includes('/admin/v1/') && search !== null) asked.push(search);
    });
    await page.clock.install();
    await page.clock.pauseAt(Date.now() + 60_000);
    const field = page.getByLabel('Find by name or key');
    for (const letter of 'key 999') {
      await field.press(letter === ' ' ? 'Space' : letter);
      await page.clock.runFor(100);
    }
    expect(asked).toEqual([]);
    await page.clock.runFor(200);
    await until(() => asked.length > 0, 'the search');
    await page.clock.resume();
    await rows('Keys', 1);
    expect(asked).toEqual(['key 999']);
  });

  it('finds by what one types in every select, and names what is chosen', async () => {
    await page.goto(`${account}/requests`);
    await choose('Key', 'key 123', 'Key 123');
    await choose('Project', 'project 59', 'Project 59');
    await choose('Model', 'model-158', 'model-158');
    await page.reload();
    const value = (label: string) => page.getByRole('combobox', { name: label, exact: true }).inputValue();
    await until(async () => (await value('Key')) === 'Key 123' && (await value('Project')) === 'Project 59', 'their names');
    expect(inAddress('key')).toBe('seeded-123');

    await page.goto(`${account}/keys`);
    await page.getByRole('button', { name: 'Create key' }).click();
    await page.getByLabel('Name', { exact: true }).fill('Of a project, with a name of some length');
    await choose('Project', 'project 58', 'Project 58');
    await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click();
    await page.getByRole('button', { name: 'I have saved it' }).click();
    await page.getByRole('row', { name: /^Of a project.*in Project 58/ }).waitFor();
    await page.setViewportSize({ width: 1440, height: 900 });
    expect(await page.evaluate(CUT)).toEqual([]);
    await page.setViewportSize({ width: 1280, height: 800 });

    await page.goto(`${account}/playground`);
    await choose('Model', 'model-157', 'model-157');
    await page.goto(`${walk.origin}/dashboard/operate/offers`);
    await choose('Model', 'model-156', 'model-156');
    await rows('Offers', 1);
    await page.goto(`${walk.origin}/dashboard/operate/audit`);
    await choose('Organisation', 'seeded 59', 'Seeded 59');
    await page.getByRole('heading', { name: 'Nothing was changed' }).waitFor();
    await page.reload();
    await until(async () => (await value('Organisation')) === 'Seeded 59', 'its name');
  });
});
