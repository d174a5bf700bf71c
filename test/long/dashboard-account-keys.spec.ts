import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import OpenAI, { APIError } from 'openai';
import type { Locator, Page } from 'playwright-core';
import type { Administration } from '../support/administration.js';
import { describeChromium } from '../support/chromium.js';
import { DashboardWalk } from '../support/dashboard-walk.js';
import { SnippetRunner } from '../support/snippet-runner.js';
import { until } from '../support/until.js';

describeChromium('The keys of an account, in the dashboard', () => {
  let walk: DashboardWalk;
  let snippets: SnippetRunner;
  let page: Page;
  let operator: Administration;
  /** The path of what the account has, in the administration API. */
  let path: string;
  let made: string;

  beforeAll(async () => {
    walk = await DashboardWalk.start();
    snippets = new SnippetRunner(walk.program);
    page = await walk.open();
    path = new URL(await walk.signInFirst(page)).pathname.replace('/dashboard/', '');
    operator = await walk.operator();
    await page.getByRole('radiogroup', { name: 'Environment' }).getByText('Test').click();
  });
  afterAll(() => walk.stop());
  // What a page refuses to run or to show is told on its console.
  afterEach(() => expect(walk.wrong).toEqual([]));

  const visit = (name: string) => page.getByRole('link', { name }).click();
  /** The code of a tab. */
  const codeOf = async (tab: string, within: Locator): Promise<string> => {
    await within.getByRole('tab', { name: tab, exact: true }).click();
    return within.getByLabel('Code', { exact: true }).innerText();
  };
  /** The status that a client is answered with. */
  const statusOf = async (ask: (client: OpenAI) => Promise<unknown>): Promise<number> => {
    try {
      await ask(new OpenAI({ baseURL: walk.url, apiKey: made, maxRetries: 0 }));
      return 200;
    } catch (error) {
      return (error as APIError).status as number;
    }
  };
  const chat = () =>
    statusOf((client) =>
      client.chat.completions.create({ model: 'sandbox-chat', messages: [{ role: 'user', content: 'Hi' }], max_tokens: 5 }),
    );
  const completion = () => statusOf((client) => client.completions.create({ model: 'sandbox-text', prompt: 'Once', max_tokens: 5 }));

  it('has snippets with the address of the API that the page names', async () => {
    const other = await walk.beside(page);
    // A gateway with this public address could not be walked at its own: only what the page says of it is another.
    await other.route(/\/overview$/, async (route) => {
      const response = await route.fetch();
      const body = (await response.text()).replace('name="api" content=""', 'name="api" content="https://api.example.com/models"');
      await route.fulfill({ response, body });
    });
    await other.goto(`${walk.origin}/dashboard/${path}/overview`);
    const code = other.getByRole('region', { name: 'First steps' }).getByLabel('Code', { exact: true });
    expect(await code.innerText()).toContain('curl https://api.example.com/models/v1/chat/completions');
    await other.context().close();
  });

  it('has first steps that can be pasted, in JavaScript and in Python', async () => {
    await page.getByRole('button', { name: 'Make a test key' }).click();
    await page.getByText('The key is in the snippets below').waitFor();
    const card = page.getByRole('region', { name: 'First steps' });
    expect(await snippets.javaScript(await codeOf('JavaScript', card))).not.toBe('');
    expect(await snippets.python(await codeOf('Python', card))).not.toBe('');
  });

  describe('a key', () => {
    const row = () => page.getByRole('row', { name: /^Batch/ });
    const cell = async (title: string): Promise<string> => {
      const titles = await page.getByRole('table', { name: 'Keys' }).getByRole('columnheader').allInnerTexts();
      return row().getByRole('cell').nth(titles.indexOf(title)).innerText();
    };
    /** Opens its rules, and a part of them. */
    const edit = async (part: string) => {
      await row().getByRole('button', { name: 'Actions for Batch' }).click();
      await page.getByRole('menuitem', { name: 'Name and rules' }).click();
      const dialog = page.getByRole('dialog', { name: 'Name and rules' });
      await dialog.getByRole('button', { name: new RegExp(`^${part}`) }).click();
      return dialog;
    };
    const save = async () => {
      const dialog = page.getByRole('dialog', { name: 'Name and rules' });
      await dialog.getByRole('button', { name: 'Save' }).click();
      await dialog.waitFor({ state: 'hidden' });
    };

    it('is shown once, with snippets that run as they are', async () => {
      await visit('API keys');
      await page.getByRole('button', { name: 'Create key' }).first().click();
      await page.getByRole('dialog').getByLabel('Name').fill('Batch');
      await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click();
      const dialog = page.getByRole('dialog', { name: 'Your new key' });
      made = await dialog.getByTestId('made-key').innerText();
      expect(made).toMatch(/^sy-test-\w{32}$/);
      writeFileSync(join(walk.program, '.env'), await codeOf('.env', dialog));
      const script = `import OpenAI from 'openai';
        const messages = [{ role: 'user', content: 'Say hello.' }];
        const { id } = await new OpenAI().chat.completions.create({ model: 'sandbox-chat', messages });
        console.log(id);`;
      expect(await snippets.javaScript(script, '--env-file=.env')).toMatch(/^chatcmpl-/);
      for (const tab of ['Python', 'LangChain']) expect([tab, await snippets.python(await codeOf(tab, dialog))]).not.toEqual([tab, '']);

      await dialog.getByRole('button', { name: 'I have saved it' }).click();
      await dialog.waitFor({ state: 'hidden' });
      await row().waitFor();
      const kept = () => page.evaluate<string>('JSON.stringify([localStorage, sessionStorage, document.documentElement.outerHTML])');
      expect(await kept()).not.toContain(made);
      await page.reload();
      await row().waitFor();
      expect(await kept()).not.toContain(made);
    });

    it('shows when it was used', async () => {
      const unused = page.getByRole('row', { name: /^Unused/ });
      await operator.post(`${path}/keys`, { environment: 'test', label: 'Unused' }).expect(200);
      await until(async () => {
        await page.reload();
        await unused.waitFor();
        return (await cell('Last used')) !== 'Never';
      }, 'when the key was used');
      expect(await cell('Last used')).toMatch(/^(just now|.* ago), \d/);
      // It does not end either.
      expect(await unused.getByText('Never', { exact: true }).count()).toBe(2);
    });

    it('shows how much of its budget is spent', async () => {
      const { id } = ((await operator.get(`${path}/keys?limit=200`)).body as { data: { id: string; label: string }[] }).data.find(
        ({ label }) => label === 'Batch',
      )!;
      const spent = async () =>
        (
          (await operator.get(`${path}/usage?by=key&since=1970-01-01T00:00:00.000Z`)).body as { data: { key: string; credits: string }[] }
        ).data.find(({ key }) => key === id)?.credits ?? '0';
      await until(async () => Number(await spent()) > 0, 'what the key has spent');
      const dialog = await edit('Budgets');
      await dialog.getByLabel('Per day').fill('lots');
      await dialog.getByRole('button', { name: 'Save' }).click();
      await dialog.getByText('Credits, such as 25 or 0.5').waitFor();
      await dialog.getByLabel('Per day').fill((Number(await spent()) * 2).toFixed(9));
      await save();
      await row().getByRole('progressbar', { name: 'Spent today: 50 percent of the budget' }).waitFor();
      // The tests below spend more.
      const again = await edit('Budgets');
      await again.getByLabel('Per day').fill('');
      await save();
      await row().getByRole('progressbar').waitFor({ state: 'detached' });
    });

    it('may call what its rules say alone, and so often', async () => {
      await expect(chat()).resolves.toBe(200);
      const dialog = await edit('Access');
      await dialog.getByLabel('Only these models').fill('sandbox-text');
      await page.keyboard.press('Enter');
      await save();
      await row().getByText('Only sandbox-text').waitFor();
      await until(async () => (await chat()) === 404, 'the rules are in force');
      await expect(completion()).resolves.toBe(200);

      await (await edit('Rate limits')).getByLabel('Requests a minute').fill('2');
      await save();
      await row().getByText('2 requests/min').waitFor();
      await until(async () => (await completion()) === 429, 'the limit is in force');
    });

    it('shows the rules and budgets of its project and its organisation', async () => {
      const rules = { requests_per_minute: 600, budgets: { month: '50.000000000' } };
      const { id: project_id } = (await operator.post(`${path}/projects`, { name: 'Checkout', rules })).body as { id: string };
      await operator.patch(path, { rules: { models: { deny: ['secret-*'] }, budgets: { day: '20' } } }).expect(200);
      await operator.post(`${path}/keys`, { environment: 'test', label: 'Bound', project_id }).expect(200);
      await page.reload();
      const bound = page.getByRole('row', { name: /^Bound in Checkout/ });
      await bound.getByTitle(project_id).waitFor();
      for (const words of ['600 requests/min', 'Not secret-*']) await bound.getByText(words).waitFor();
      await bound.getByRole('progressbar', { name: /^Spent this month by Checkout: 0 percent/ }).waitFor({ state: 'attached' });
      await bound.getByRole('progressbar', { name: /^Spent today by starter: \d+ percent/ }).waitFor({ state: 'attached' });
      expect(await bound.innerText()).toMatch(/0 of 50\.00\s+this month, project/);
    });
  });
});
