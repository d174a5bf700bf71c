import { readFileSync } from 'node:fs';
import OpenAI from 'openai';
import type { Locator, Page, Route } from 'playwright-core';
import { LoopbackUpstream } from '../../src/providers/testing/loopback-upstream.js';
import type { Administration } from '../support/administration.js';
import { describeChromium } from '../support/chromium.js';
import { DashboardWalk } from '../support/dashboard-walk.js';
import { chatEvents } from '../support/openai-bytes.js';
import { until } from '../support/until.js';

/** Requests on a page of their list. */
const PAGE = 50;

/** What a browser would run, were it not shown as a text. */
const HOSTILE = '<img src=x onerror=alert(1)>';
const PROJECT = `Night shift ${HOSTILE}`;

const usage = { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120, prompt_tokens_details: { cached_tokens: 40 } };
const answer = `${chatEvents(
  [{ index: 0, delta: { role: 'assistant', content: `Look: ${HOSTILE}` }, finish_reason: null }],
  [{ index: 0, delta: {}, finish_reason: 'stop' }],
)}data: ${JSON.stringify({ id: 'x', created: 1, model: 'up', object: 'chat.completion.chunk', choices: [], usage })}\n\ndata: [DONE]\n\n`;

const offer = {
  pricing: { prompt: '0.003', completion: '0.015', cached_input: '0.0003' },
  context_length: 100_000,
  max_tokens: 1_000,
  capabilities: { function_calling: true },
  parameters: ['max_tokens'],
};

interface Asked {
  readonly request_id: string;
  readonly charged: string | null;
  /** Null until the record is written: the charge alone may be there before. */
  readonly status: number | null;
}

describeChromium('What an account asked, in the dashboard', () => {
  let walk: DashboardWalk;
  let failing: LoopbackUpstream;
  let serving: LoopbackUpstream;
  let page: Page;
  /** The address of the account's pages. */
  let account: string;
  let path: string;
  let operator: Administration;
  let key: string;
  let otherKey: string;
  let newKey: (more: object) => Promise<string>;
  /** What the client was told of the request that went to two providers. */
  let completion: string;
  let explained: Asked;

  beforeAll(async () => {
    [failing, serving] = await Promise.all([LoopbackUpstream.start(), LoopbackUpstream.start()]);
    failing.replies({ status: 503, headers: { 'content-type': 'application/json' }, body: '{"error":{"message":"not now"}}' });
    serving.replies({ headers: { 'content-type': 'text/event-stream' }, body: answer, cuts: [200], pace: 40 });
    const provider = ({ origin }: LoopbackUpstream) => ({ base_url: origin, api_key: 'k', models: { 'two-offers': offer } });
    walk = await DashboardWalk.start({
      providers: { failing: provider(failing), serving: provider(serving) },
      models: { 'two-offers': { strategy: 'priority', offers: [{ provider: 'failing' }, { provider: 'serving' }] } },
      observability: { store_text: true },
    });
    page = await walk.open();
    account = await walk.signInFirst(page);
    path = new URL(account).pathname.replace('/dashboard/', '');
    operator = await walk.operator();
    const { id: project_id } = (await operator.post(`${path}/projects`, { name: PROJECT })).body as { id: string };
    newKey = async (more) =>
      ((await operator.post(`${path}/keys`, { environment: 'live', ...more }).expect(200)).body as { key: string }).key;
    key = await newKey({ label: 'Day key' });
    otherKey = await newKey({ label: 'Night key', project_id });
    await page.getByRole('button', { name: /preferences and sign out/ }).click();
    await page.getByRole('menuitemcheckbox', { name: 'Credits to the billionth' }).click();
    await page.keyboard.press('Escape');
    await page.getByRole('radiogroup', { name: 'Environment' }).getByText('Live').click();
  });
  afterAll(async () => {
    await walk.stop();
    await Promise.all([failing.stop(), serving.stop()]);
  });
  // What a page refuses to run or to show is told on its console.
  afterEach(() => expect(walk.wrong).toEqual([]));

  const visit = (name: string) => page.getByRole('link', { name }).click();
  const requests = async () => ((await operator.get(`${path}/requests?environment=live&limit=200`)).body as { data: Asked[] }).data;
  /** The requests that there are, once there are so many with their records. */
  const counted = async (count: number): Promise<Asked[]> => {
    await until(async () => (await requests()).filter(({ status }) => status !== null).length >= count, `${count} requests`);
    return requests();
  };
  const client = (apiKey: string) => new OpenAI({ baseURL: walk.url, apiKey, maxRetries: 0 });
  const askSandbox = (apiKey: string, model = 'sandbox-chat') =>
    client(apiKey).chat.completions.create({ model, messages: [{ role: 'user', content: 'Hi' }], max_tokens: 5 });
  const nano = (credits: string): bigint => {
    const [whole, decimals = ''] = credits.replaceAll(',', '').split('.');
    return BigInt(whole! + decimals.padEnd(9, '0'));
  };
  const sum = (amounts: readonly (string | null)[]): bigint => amounts.reduce((all, one) => all + nano(one ?? '0'), 0n);
  const balance = async (): Promise<bigint> => {
    const { data } = (await operator.get(`${path}/credits`)).body as { data: { environment: string; available: string }[] };
    return nano(data.find(({ environment }) => environment === 'live')!.available);
  };
  const row = (name: RegExp) => page.getByRole('row', { name });
  const rows = () => page.getByRole('button', { name: /^Show the request of/ });
  /** Waits until there are so many rows, and each is like that: names come after the rows. */
  const shown = async (count: number, like: RegExp) => {
    await until(async () => (await rows().count()) === count && (await row(like).count()) === count, `${count} rows`);
  };
  const choose = async (label: string, option: string) => {
    await page.getByRole('combobox', { name: label, exact: true }).click();
    await page.getByRole('option', { name: option, exact: true }).click();
  };
  const fact = (within: Locator, name: string) => within.getByText(name, { exact: true }).locator('xpath=..');

  describe('requests', () => {
    it('appear by themselves while one looks on', async () => {
      await visit('Requests');
      await page.getByText('No requests yet').waitFor();
      await page.getByRole('switch', { name: 'Auto-refresh' }).press('Space');
      const before = await balance();
      const stream = await client(key).chat.completions.create({
        model: 'two-offers',
        messages: [{ role: 'user', content: `What is ${HOSTILE}?` }],
        max_tokens: 30,
        seed: 7,
        stream: true,
      });
      for await (const chunk of stream) completion = chunk.id;
      await row(/two-offers/).waitFor();
      [explained] = (await counted(1)) as [Asked];
      expect(before - (await balance())).toBe(nano(explained.charged!));
    });

    it('are explained: calls of providers, tokens, the price line by line, and what was kept', async () => {
      await rows().first().click();
      const drawer = page.getByRole('dialog');
      const calls = drawer.getByRole('region', { name: 'Calls of providers' }).getByRole('listitem');
      await calls.nth(1).waitFor();
      const [first, second] = await calls.allInnerTexts();
      expect(first).toMatch(/^failing\s+(?!Served).*\(503\)/);
      // Times of a call are from its own beginning.
      const [, waited, took] = /^serving\s+Served · first token after (\d+) ms · (\d+) ms$/.exec(second!)!;
      expect(Number(waited)).toBeLessThan(Number(took));
      expect(await fact(drawer, 'First token').innerText()).toMatch(/\d m?s$/);
      expect(await fact(drawer, 'Tokens').innerText()).toMatch(/100 in, 20 out$/);
      expect(await fact(drawer, 'Speed').innerText()).toMatch(/\d tokens\/s$/);
      expect(await fact(drawer, 'Provider').innerText()).toMatch(/serving$/);
      await fact(drawer, 'Key').getByText('Day key').waitFor();
      const lines = await drawer.getByRole('region', { name: 'Price' }).getByRole('row').allInnerTexts();
      expect(lines.map((line) => line.split(/\s*\t\s*/))).toEqual([
        ['What', 'Count', 'Credits per 1,000', 'Credits'],
        ['Prompt', '60', '0.0030', '0.000180'],
        ['Completion', '20', '0.0150', '0.000300'],
        ['Cached input', '40', '0.0003', '0.000012'],
        ['Charged', '0.000492'],
      ]);
      expect(nano(lines.at(-1)!.split('\t').at(-1)!)).toBe(nano(explained.charged!));
      expect(await drawer.getByRole('region', { name: 'Parameters that' }).locator('code').allInnerTexts()).toEqual(['seed']);
      const texts = await drawer.getByRole('region', { name: 'Text' }).getByLabel('Code', { exact: true }).allInnerTexts();
      expect(texts).toHaveLength(2);
      for (const text of texts) expect(text).toContain(HOSTILE);
      expect(await drawer.locator('img').count()).toBe(0);
      await page.keyboard.press('Escape');
    });

    it('are shown by pages, the older ones on the next', async () => {
      await Promise.all(Array.from({ length: PAGE + 4 }, (_, index) => askSandbox(index < 3 ? otherKey : key)));
      await counted(PAGE + 5);
      await page.reload();
      await rows()
        .nth(PAGE - 1)
        .waitFor();
      expect(await rows().count()).toBe(PAGE);
      expect(await row(/two-offers/).count()).toBe(0);
      await page.getByRole('button', { name: 'Next page' }).click();
      await row(/two-offers/).waitFor();
      expect(await rows().count()).toBe(5);
      expect(await page.getByRole('button', { name: 'Next page' }).isDisabled()).toBe(true);
    });

    it('have tokens a second only where they were streamed', async () => {
      await rows().first().click();
      const speed = fact(page.getByRole('dialog'), 'Speed');
      await speed.waitFor();
      expect(await speed.innerText()).toMatch(/\n–$/);
      await page.keyboard.press('Escape');
    });

    it('are only those of a model, of a key and of a time, when one looks for these', async () => {
      await page.getByRole('combobox', { name: 'Model', exact: true }).fill('two-offers');
      await choose('Model', 'two-offers');
      await shown(1, /two-offers/);
      await page.goto(`${account}/requests`);
      await choose('Key', 'Night key');
      await shown(3, /Night key/);
      const asked = page.waitForRequest((request) => request.url().includes('/requests?') && request.url().includes('from='));
      await choose('Time', 'Last hour');
      const from = Date.parse(new URL((await asked).url()).searchParams.get('from')!);
      expect(Math.abs(Date.now() - 3_600_000 - from)).toBeLessThan(60_000);
      await shown(3, /Night key/);
    });

    it('show no ids of keys while their names are asked for', async () => {
      const asked = Promise.withResolvers<void>();
      const hold = async (route: Route) => asked.promise.then(() => route.continue());
      await page.route(/\/keys\?.*ids=/, hold);
      await page.goto(`${account}/requests`);
      await row(/…/).first().waitFor();
      expect(await row(/Night key|Day key|key_/).count()).toBe(0);
      asked.resolve();
      await row(/Night key|Day key/)
        .first()
        .waitFor();
      await page.unroute(/\/keys\?.*ids=/, hold);
    });

    it('are found by their id, and by the id of an answer', async () => {
      await page.goto(`${account}/requests`);
      const field = page.getByLabel('Find by request id');
      expect(completion).toBe(`chatcmpl-${explained.request_id}`);
      for (const id of [explained.request_id, completion]) {
        await rows().nth(1).waitFor();
        await field.fill(id);
        await shown(1, /two-offers/);
        await field.fill('');
      }
      await field.fill('not an id');
      await page.getByText('An id has digits').waitFor();
      expect(await field.getAttribute('aria-invalid')).toBe('true');
    });

    it('say why they failed in the words of the client’s error, which name the budget', async () => {
      const budgets = { day: '0' };
      const without = await newKey({ label: 'Evening key', rules: { budgets } });
      const error = await askSandbox(without).catch((thrown: unknown) => thrown as InstanceType<typeof OpenAI.APIError>);
      await counted(PAGE + 6);
      await page.goto(`${account}/requests?request=${(error as { requestID: string }).requestID}`);
      const said = await page.getByRole('dialog').getByRole('note', { name: 'Error' }).innerText();
      expect(`402 ${said}`).toBe((error as Error).message);
      expect(said).toContain('the key’s daily budget of 0 credits');
      await page.keyboard.press('Escape');
    });
  });

  it('shows what a month came to, as a file too', async () => {
    const month = new Date().toISOString().slice(0, 7);
    const { body } = await operator.get(`${path}/credits/statement?environment=live&month=${month}`);
    const statement = body as { charged: string };
    expect(nano(statement.charged)).toBe(sum((await requests()).map(({ charged }) => charged)));
    await visit('Credits');
    const region = page.getByRole('region', { name: 'Statement' });
    const amount = async (name: string) => nano((await fact(region, name).innerText()).split(/\s+/).at(-1)!);
    await expect(amount('Charged')).resolves.toBe(nano(statement.charged));
    await expect(amount('Closing balance')).resolves.toBe(await balance());
    await region.getByRole('row', { name: /^two-offers 1 100 20 0\.000492$/ }).waitFor();
    // 40 tokens, each at a tenth of its price.
    expect(await page.getByRole('group', { name: 'Saved by caching' }).innerText()).toMatch(/\s0\.000108\s/);
    const coming = page.waitForEvent('download');
    await region.getByRole('link', { name: 'CSV' }).click();
    const file = await coming;
    expect(file.suggestedFilename()).toBe(`statement-${month}-live.csv`);
    const [head, ...lines] = readFileSync(await file.path(), 'utf8')
      .trimEnd()
      .split('\r\n')
      .map((line) => line.split(','));
    const amounts = lines.filter((line) => line[head!.indexOf('kind')] === 'charges').map((line) => line[head!.indexOf('amount')]!);
    expect(-sum(amounts)).toBe(nano(statement.charged));

    const ledger = (await operator.get(`${path}/credits/ledger?environment=live`)).body as { data: { amount: string; balance: string }[] };
    const shownLines = (await page.getByRole('region', { name: 'Ledger' }).getByRole('row').allInnerTexts()).slice(1);
    expect(shownLines.map((line) => line.split('\t').slice(-2).map(nano))).toEqual(
      ledger.data.map((line) => [nano(line.amount), nano(line.balance)]),
    );
    for (const column of [-2, -1])
      expect(new Set(shownLines.map((line) => line.split('\t').at(column)!.split('.')[1]?.length)).size).toBe(1);
    expect(shownLines.map((line) => line.split('\t')[1])).toEqual(['Charged (UTC day)', expect.stringMatching(/^Granted/)]);

    const earlier = new Date();
    earlier.setUTCMonth(earlier.getUTCMonth(), 0);
    const label = earlier.toLocaleDateString('en-US', { month: 'long', year: 'numeric', timeZone: 'UTC' });
    await choose('Month', label);
    await until(async () => (await amount('Closing balance')) === 0n, `the statement of ${label}`);
    expect(await amount('Charged')).toBe(0n);
    expect(await region.getByRole('link', { name: 'CSV' }).getAttribute('href')).toContain(`month=${earlier.toISOString().slice(0, 7)}`);
  });

  describe('the overview', () => {
    const panel = (name: string) => page.getByRole('region', { name, exact: true });
    const table = async (name: string) => {
      await panel(name)
        .getByRole('button', { name: `${name}: as a table` })
        .click();
      const [head, ...lines] = (await panel(name).getByRole('row').allInnerTexts()).map((line) => line.split(/\s*\t\s*/));
      await panel(name)
        .getByRole('button', { name: `${name}: as a chart` })
        .click();
      const total = (column: number) => lines.reduce((all, line) => all + Number(line[column]!.replaceAll(',', '')), 0);
      return { head: head!, lines, of: (column: string) => total(head!.indexOf(column)) };
    };

    it('has charts and tables of the balance, requests, tokens, errors and the first token', async () => {
      await expect(askSandbox(key, 'sandbox-overloaded')).rejects.toMatchObject({ status: 503 });
      const all = await counted(PAGE + 7);
      await visit('Overview');
      for (const name of ['Balance', 'Requests', 'Tokens', 'Errors', 'First token'])
        await panel(name)
          .getByRole('img', { name: `${name} over time` })
          .waitFor();
      await page.reload();
      for (const name of ['Requests', 'Balance'])
        await panel(name)
          .getByRole('img', { name: `${name} over time` })
          .waitFor();
      for (const name of ['Balance', 'Spend'])
        await page
          .getByRole('group', { name, exact: true })
          .getByText(/\d\.\d{2,}/)
          .first()
          .waitFor();
      expect((await table('Requests')).of('In all')).toBe(all.length);
      expect((await table('Requests')).of('two-offers')).toBe(1);
      expect((await table('Tokens')).of('two-offers')).toBe(120);
      expect((await table('Errors')).of('Model overloaded')).toBe(1);
      // Amounts are exact in all of this walk, and so they are long.
      const cut = await page.evaluate(`
        [...document.querySelectorAll('[role=group] .numbers')]
          .filter(({ scrollWidth, clientWidth }) => clientWidth > 0 && scrollWidth > clientWidth)
          .map(({ innerText }) => innerText)`);
      expect(cut).toEqual([]);
      const { data } = (await operator.get(`${path}/credits`)).body as { data: { environment: string; balance: string }[] };
      const live = data.find(({ environment }) => environment === 'live');
      const balances = (await table('Balance')).lines;
      expect(nano(balances[0]![1]!)).toBe(nano(live!.balance));
      // Hours before the first grant have a balance too: none.
      expect([balances.length, nano(balances.at(-1)![1]!)]).toEqual([24, 0n]);
      const { head, lines } = await table('First token');
      expect(head).toEqual(['Time', 'Half of the requests waited at most', '95 of 100 waited at most']);
      expect(lines[0]).toEqual([expect.stringMatching(/\d/), expect.stringMatching(/^\d.* m?s$/), expect.stringMatching(/^\d.* m?s$/)]);
    });

    it('tells keys and projects apart by their names', async () => {
      await choose('What is told apart', 'By key');
      await panel('Requests').getByRole('listitem').getByText('Night key').waitFor();
      const { of: ofKey } = await table('Requests');
      expect([ofKey('Day key'), ofKey('Night key')]).toEqual([PAGE + 3, 3]);
      await choose('What is told apart', 'By project');
      await panel('Requests').getByRole('listitem').getByText(PROJECT).waitFor();
      const { of: ofProject } = await table('Requests');
      expect([ofProject('No project'), ofProject(PROJECT)]).toEqual([PAGE + 4, 3]);
    });

    it.each([
      ['7d', 'hour', 168, 3_600_000],
      ['90d', 'day', 90, 86_400_000],
    ])('asks for the chosen time: %s', async (range, interval, intervals, length) => {
      const asked = page.waitForRequest((request) => request.url().includes('/usage/series?'));
      await page.getByRole('radiogroup', { name: 'Time' }).getByText(range, { exact: true }).click();
      const { searchParams } = new URL((await asked).url());
      expect(searchParams.get('interval')).toBe(interval);
      expect(Math.ceil((Date.now() - Date.parse(searchParams.get('from')!)) / length)).toBe(intervals);
      expect(new URL(page.url()).searchParams.get('range')).toBe(range);
    });
  });
});
